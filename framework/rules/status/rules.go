// Package status holds the rules about the DaemonSet's status.
package status

import "github.com/rollcall-conformance/rollcall/framework/judge"

// Rules returns all of the package, the most specific cause first.
func Rules() []judge.Rule {
	return []judge.Rule{
		StatusBound(), StatusUnavailable(), StatusOrder(), StatusObserved(),
		StatusNodeLeft(), StatusDesired(), StatusCurrent(), StatusMisscheduled(), StatusTerminating(), StatusReady(), StatusAvailable(), StatusUpdated(),
		StallReported(), StallCleared(), LeftAlone(),
	}
}
