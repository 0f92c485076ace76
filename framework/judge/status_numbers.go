package judge

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// statusObserver judges each version of a status that the implementation wrote. The promise returns what is wrong with it, or nothing.
type statusObserver struct {
	exercised
	promise func(appsv1.DaemonSetStatus) string
}

func statusJudge(promise func(appsv1.DaemonSetStatus) string) func(history.Header) Observer {
	return func(history.Header) Observer { return &statusObserver{promise: promise} }
}

// Observe implements Observer.
func (o *statusObserver) Observe(s *Scene) []Violation {
	if s.status == nil {
		return nil
	}
	status := s.status.after.Status
	// A status of zeros keeps every promise about its numbers.
	o.yes = o.yes || status.DesiredNumberScheduled > 0
	got := o.promise(status)
	if got == "" {
		return nil
	}
	return []Violation{{
		Got: got, Before: numbers(s.status.before.Status), After: numbers(status), Window: s.entries(map[int]bool{s.index: true}),
	}}
}

func numbers(status appsv1.DaemonSetStatus) string {
	return fmt.Sprintf("desired %d, current %d, ready %d, available %d, unavailable %d, updated %d", status.DesiredNumberScheduled,
		status.CurrentNumberScheduled, status.NumberReady, status.NumberAvailable, status.NumberUnavailable, status.UpdatedNumberScheduled)
}
