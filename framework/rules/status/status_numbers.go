package status

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// statusObserver judges each version of a status that the implementation wrote. The promise returns what is wrong with it, or nothing.
type statusObserver struct {
	judge.Exercise
	promise func(appsv1.DaemonSetStatus) string
}

func statusJudge(promise func(appsv1.DaemonSetStatus) string) func(history.Header) judge.Observer {
	return func(history.Header) judge.Observer { return &statusObserver{promise: promise} }
}

// Observe implements judge.Observer.
func (o *statusObserver) Observe(s *judge.Scene) []judge.Violation {
	if s.Status == nil {
		return nil
	}
	status := s.Status.After.Status
	// A status of zeros keeps every promise about its numbers.
	if status.DesiredNumberScheduled > 0 {
		o.PutToTest()
	}
	got := o.promise(status)
	if got == "" {
		return nil
	}
	return []judge.Violation{{
		Got: got, Before: judge.StatusNumbers(s.Status.Before.Status), After: judge.StatusNumbers(status), Window: s.ThisEntry(),
	}}
}
