// Package story puts together what a person needs to understand a violation: the events in words, the lives of the pods around it, the
// limits and the state, all as data for a report. reports.Story writes the text. Violations of one cause become one finding.
//
// It is pure: data from a history and violations. It opens no recording, writes to no terminal and decides nothing; package judge
// decides.
package story
