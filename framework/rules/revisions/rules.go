// Package revisions holds the rules about ControllerRevisions, and about the labels that tie pods to them.
package revisions

import "github.com/rollcall-conformance/rollcall/framework/judge"

// Rules returns all of the package, the most specific cause first.
func Rules() []judge.Rule {
	return []judge.Rule{
		Labelled(), Generation(), HistoryReused(), HistoryNext(), HistoryCurrent(), HistoryKept(), HistoryLive(), HistoryOldest(), HistoryLimit(), Adopts(), HistoryOne(),
		HistoryTrimmed(), HistoryLowered(), HistoryAdopted(), HistoryLabelled(),
	}
}
