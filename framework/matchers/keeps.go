package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Keeps asks that a standing promise is kept, for a requirement that asks the same of one situation. The history must put it to the test.
func Keeps(standing judge.Rule) Matcher { return kept{standing} }

type kept struct{ judge.Rule }

// Check implements Matcher: the standing judge's own violations.
func (k kept) Check(h *history.History) []judge.Violation {
	verdict := judge.Run(h, []judge.Rule{k.Rule})[0]
	if verdict.Outcome == judge.Holds && !verdict.Exercised {
		return []judge.Violation{{Promise: k.Promise, Got: "nothing that puts it to the test"}}
	}
	if verdict.Outcome == judge.Inconclusive {
		return []judge.Violation{{Promise: k.Promise, Got: verdict.Reason}}
	}
	return verdict.Violations
}

// Match implements Gomega's matcher.
func (k kept) Match(actual any) (bool, error) { return match(k, actual) }

// FailureMessage implements Gomega's matcher.
func (k kept) FailureMessage(actual any) string { return failure(k, actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (k kept) NegatedFailureMessage(any) string {
	return fmt.Sprintf("expected otherwise, but it holds: %s", k.Promise)
}
