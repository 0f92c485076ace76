package matchers

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Printed asks that what a program printed, which the scenario has bound to a name, is as promised: problem says what is wrong with it, or nothing.
func Printed(promise, problem string) Matcher {
	return question{promise: promise, ask: func(s *Survey, _ string) Answer {
		if problem == "" {
			return kept()
		}
		return broken(&judge.Violation{Got: problem, ResourceVersion: s.last.ResourceVersion, Time: s.last.Time})
	}}
}
