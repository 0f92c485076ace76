package main

import (
	"fmt"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// exercise are requirements whose specs together make the reference do everything that it may do.
func exercise() []requirements.ID {
	return []requirements.ID{
		"API-010",      // waits for the status, in which alone it shows that the DaemonSet was seen
		"API-020",      // rolls out and back: pods and history objects are created, old pods deleted, a history object renumbered
		"HISTORY-017",  // lets a history object go
		"GATE-004",     // switches the feature gate off: the admission policies of either setting are put in place, and those of the other taken away
		"EVICT-014",    // has a budget computed, and evicts pods under it
		"EVICT-025",    // has a budget over a pod whose controller is asked for its scale
		"RECOVERY-006", // is refused pods for a while: the events of that are counted up
		"UNITED-020",   // unites a DaemonSet and gives everything back: DaemonSets of subsets are created and deleted, nodes and pods labelled
		"UNITED-033",   // changes the DaemonSets of subsets
		"INPLACE-031",  // updates StatefulSets whose pods have claims
		"HISTORY-026",  // leaves pods and history to be adopted, before which the DaemonSet is read past the cache
	}
}

// focus is a regular expression for the texts of the specs that decide the requirements. A requirement that none decides is an error.
func focus(specs types.SpecReports, ids []requirements.ID) (string, error) {
	pattern, undecided := trial.Focus(specs, ids)
	if len(undecided) > 0 {
		return "", fmt.Errorf("no spec decides %s: the reference would not be seen to need all that it needs", undecided)
	}
	return pattern, nil
}
