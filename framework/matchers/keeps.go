package matchers

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Keeps asks that the standing rule of the requirement holds, for another requirement that asks the same of one situation. The history must put it to
// the test.
func Keeps(id requirements.ID) Matcher {
	return question{promise: "keeps " + string(id), ask: func(s *Survey, _ string) Answer {
		verdict, judged := s.standing.Of(id)
		switch {
		case !judged:
			return untested("no standing rule decides %s", id)
		case verdict.Outcome == judge.Broken:
			return Answer{Violations: slices.Clone(verdict.Violations)}
		case verdict.Outcome == judge.Inconclusive:
			return untested("%s", verdict.Reason)
		case !verdict.Exercised:
			return untested("nothing puts %s to the test", id)
		}
		return kept()
	}}
}
