package matchers

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
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

// KeepsEveryRule asks that no standing rule is broken whose feature the implementation claims. Those about budgets say nothing where a spec has none
// recorded. It shows the first violation of each that is.
func KeepsEveryRule() Matcher {
	return question{promise: "keeps every standing rule", ask: func(s *Survey, _ string) Answer {
		catalogue, err := requirements.Load()
		if err != nil {
			return untested("%v", err)
		}
		var answer Answer
		for _, rule := range rules.All() {
			verdict, _ := s.standing.Of(rule.Requirement)
			requirement, _ := catalogue.Get(rule.Requirement)
			budgets := slices.Contains(rule.Needs, history.KindPodDisruptionBudget)
			switch {
			case budgets && !slices.Contains(s.h.Kinds, history.KindPodDisruptionBudget), !slices.Contains(s.h.Features, string(requirement.Feature)):
			case verdict.Outcome == judge.Broken:
				answer.Violations = append(answer.Violations, verdict.Violations[:1]...)
			case verdict.Outcome == judge.Inconclusive:
				answer.Untested = fmt.Sprintf("%s: %s", verdict.Requirement, verdict.Reason)
			}
		}
		return answer
	}}
}
