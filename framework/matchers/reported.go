package matchers

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Reported asks that there is an Event object of which the predicate is true. Where Event objects may be missing from the recording it is not tested.
func Reported(text string, is func(*corev1.Event) bool) Matcher {
	return question{promise: "reports by an Event " + text, ask: func(s *Survey, _ string) Answer {
		if slices.ContainsFunc(s.h.Gaps, func(gap history.Gap) bool { return gap.Kind == history.KindEvent }) {
			return untested("Event objects may be missing from the recording")
		}
		for _, entry := range s.h.Evidence {
			if event, ok := entry.Object.(*corev1.Event); ok && is(event) {
				return Answer{}
			}
		}
		return s.overdue("no such Event")
	}}
}
