package matchers

import (
	"fmt"
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

// KeepsEveryRule asks that no standing rule of the features is broken, as far as the implementation claims them. It shows the first violation of each that is.
func KeepsEveryRule(features ...requirements.Feature) Matcher {
	return question{promise: "keeps every standing rule", ask: func(s *Survey, _ string) Answer {
		catalogue, err := requirements.Load()
		if err != nil {
			return untested("%v", err)
		}
		var answer Answer
		for _, verdict := range s.standing {
			requirement, _ := catalogue.Get(verdict.Requirement)
			switch {
			case !slices.Contains(features, requirement.Feature), !slices.Contains(s.h.Features, string(requirement.Feature)):
			case verdict.Outcome == judge.Broken:
				answer.Violations = append(answer.Violations, verdict.Violations[:1]...)
			case verdict.Outcome == judge.Inconclusive:
				answer.Untested = fmt.Sprintf("%s: %s", verdict.Requirement, verdict.Reason)
			}
		}
		return answer
	}}
}
