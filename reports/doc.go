// Package reports is what a conformance run leaves behind: the report, and the ways to write it.
//
// There is one model, ConformanceReport, put together by Assemble from what the specs found. YAML, JUnit XML, the terminal's
// summary and the story of each violation are written from it and from nothing else. The package knows no cluster, no spec and no judge: it takes verdicts and
// gives them a stable order, so that the reports of two runs can be compared line by line.
package reports
