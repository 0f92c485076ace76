package matchers

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// HoldsAtEnd asks that the condition holds in the state that the history ends with, whatever is still under way.
func HoldsAtEnd(condition state.Condition) Matcher {
	return question{promise: "at the end " + condition.Text, ask: func(s *Survey, _ string) Answer {
		if problem := condition.Unmet(s.end); problem != "" {
			if answer, excused := s.excusedUntil(problem, s.last.Time); excused {
				return answer
			}
			return broken(&judge.Violation{Got: problem, ResourceVersion: s.last.ResourceVersion, Time: s.last.Time})
		}
		return kept()
	}}
}

// ComesToHold asks that the condition holds in the end. It is broken only once nothing moves any more: until then it may still come about.
func ComesToHold(condition state.Condition) Matcher {
	return question{promise: "in the end " + condition.Text, ask: func(s *Survey, _ string) Answer {
		if problem := condition.Unmet(s.end); problem != "" {
			return s.overdue(problem)
		}
		return kept()
	}}
}

// EndsRolledOut asks that in the end every eligible node has exactly one pod of each DaemonSet, which is updated and available, and no other node any.
func EndsRolledOut() Matcher { return ComesToHold(state.EveryDaemonSetRolledOut()) }
