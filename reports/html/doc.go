// Package html draws a report, or a recording, as one page: a file that needs no network, no server and no other file. Everything on it comes from the
// report's model; pictures are data in the page, which its script draws. Texts may come from anybody, so all of them go through html/template,
// and the script sets text, never markup.
package html
