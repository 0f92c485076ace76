package matchers

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// TriesFewPods asks that no more than that many of the requests by which the implementation creates pods, and which the API server refuses, come within
// history.RefusalBurst. Without an audit log, and where nothing was refused, it is not tested. A refused patch of a pod counts as one of them, since server-side
// apply creates by patches: ask it only where there is no pod that could be patched.
func TriesFewPods(most int) Matcher {
	promise := fmt.Sprintf("while creations of pods are refused, at most %d of them are tried within %s", most, history.RefusalBurst)
	return ofRefusedPods(promise, func(refused []history.Refusal) (got string, at time.Duration) {
		for _, refusal := range refused {
			if refusal.Burst > most {
				return fmt.Sprintf("%d refused creations within %s, of %d in all: %s", refusal.Burst, history.RefusalBurst, refusal.Count, refusal.Message), refusal.First
			}
		}
		return "", 0
	})
}

// TriesSeldom asks that no more than that many such requests come in the whole recording. It is tested where TriesFewPods is.
func TriesSeldom(most int) Matcher {
	promise := fmt.Sprintf("while creations of pods are refused, at most %d of them are tried", most)
	return ofRefusedPods(promise, inAllAtMost(most, "creations"))
}

// PatchesSeldom asks that the API server refuses no more than that many patches and updates of pods in a second, on average from the first to a second after the
// last, and within history.RefusalBurst. It is untested without such a refusal, and where no audit log tells of them.
func PatchesSeldom(perSecond int) Matcher {
	promise := fmt.Sprintf("while patches of pods are refused, at most %d of them are tried in a second", perSecond)
	return ofRefusals(promise, "patch of a pod", changesPod, func(refused []history.Refusal) (got string, at time.Duration) {
		if count, took := inAll(refused); float64(count) > float64(perSecond)*(took+time.Second).Seconds() {
			return fmt.Sprintf("%d refused patches within %s: %s", count, took, refused[0].Message), refused[0].First
		}
		for _, refusal := range refused {
			if refusal.Burst > perSecond {
				return fmt.Sprintf("%d refused patches within %s: %s", refusal.Burst, history.RefusalBurst, refusal.Message), refusal.First
			}
		}
		return "", 0
	})
}

// DeletionsSeldom asks that the API server refuses no more than that many deletions of pods in the whole recording. It is untested where PatchesSeldom is, of
// deletions.
func DeletionsSeldom(most int) Matcher {
	promise := fmt.Sprintf("while deletions of pods are refused, at most %d of them are tried", most)
	isDeletion := func(refusal history.Refusal) bool { return refusal.Verb == "delete" }
	return ofRefusals(promise, "deletion of a pod", isDeletion, inAllAtMost(most, "deletions"))
}

// inAllAtMost finds more than that many requests, of the kind that what names, wrong.
func inAllAtMost(most int, what string) func([]history.Refusal) (got string, at time.Duration) {
	return func(refused []history.Refusal) (got string, at time.Duration) {
		if count, took := inAll(refused); count > most {
			return fmt.Sprintf("%d refused %s within %s: %s", count, what, took, refused[0].Message), refused[0].First
		}
		return "", 0
	}
}

// inAll counts refused requests, and says how long it took from the first answer to the last.
func inAll(refused []history.Refusal) (count int, took time.Duration) {
	first, last := refused[0].First, time.Duration(0)
	for _, refusal := range refused {
		count, last = count+refusal.Count, max(last, refusal.Last)
	}
	return count, (last - first).Round(time.Millisecond)
}

// ofRefusedPods asks something of the creations of pods that the API server refused. Who applies a pod patches it.
func ofRefusedPods(promise string, wrong func([]history.Refusal) (got string, at time.Duration)) Matcher {
	return ofRefusals(promise, "creation of a pod", func(refusal history.Refusal) bool {
		return refusal.Verb == "create" || refusal.Verb == "patch"
	}, wrong)
}

func changesPod(refusal history.Refusal) bool {
	return refusal.Verb == "patch" || refusal.Verb == "update"
}

// ofRefusals asks something of the requests about pods, of those that are meant, which the API server refused, in the order of their first answers: got is what is
// wrong, since at.
func ofRefusals(promise, what string, meant func(history.Refusal) bool, wrong func([]history.Refusal) (got string, at time.Duration)) Matcher {
	return question{promise: promise, ask: func(s *Survey, _ string) Answer {
		if s.h.Authors != history.AuthorsFromAuditLog {
			return untested("no audit log says what was refused")
		}
		var refused []history.Refusal
		for _, refusal := range s.h.Refusals {
			if refusal.Resource == "pods" && refusal.Subresource == "" && meant(refusal) {
				refused = append(refused, refusal)
			}
		}
		if len(refused) == 0 {
			return untested("no %s was refused", what)
		}
		if got, at := wrong(refused); got != "" {
			return broken(&judge.Violation{Got: got, Time: s.h.Start.Add(at)})
		}
		return kept()
	}}
}
