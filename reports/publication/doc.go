// Package publication is the form in which the report of a whole run is published: a folder for each implementation, version and provider, with the report, the
// digests of what it was made from, and how to make it again. docs/publishing.md says what is asked of one, and what is checked.
package publication
