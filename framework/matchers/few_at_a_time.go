package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// TriesFewPods asks that no more than that many of the requests by which the implementation creates pods, and which the API server refuses, come within
// history.RefusalBurst. Without an audit log, and where nothing was refused, it is not tested. A refused patch of a pod counts as one of them, since server-side
// apply creates by patches: ask it only where there is no pod that could be patched.
func TriesFewPods(most int) Matcher {
	promise := fmt.Sprintf("while creations of pods are refused, at most %d of them are tried within %s", most, history.RefusalBurst)
	return question{promise: promise, ask: func(s *Survey, _ string) Answer {
		if s.h.Authors != history.AuthorsFromAuditLog {
			return untested("no audit log says what was refused")
		}
		refused := false
		for _, refusal := range s.h.Refusals {
			if refusal.Resource != "pods" || refusal.Subresource != "" || refusal.Verb != "create" && refusal.Verb != "patch" {
				continue
			}
			refused = true
			if refusal.Burst > most {
				return broken(&judge.Violation{
					Got:  fmt.Sprintf("%d refused creations within %s, of %d in all: %s", refusal.Burst, history.RefusalBurst, refusal.Count, refusal.Message),
					Time: s.h.Start.Add(refusal.First),
				})
			}
		}
		if !refused {
			return untested("no creation of a pod was refused")
		}
		return kept()
	}}
}
