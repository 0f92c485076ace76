package matchers

import (
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// All asks every one of the questions.
func All(matchers ...Matcher) Matcher { return conjunction(matchers) }

type conjunction []Matcher

// Check implements Matcher.
func (c conjunction) Check(h *history.History) []judge.Violation {
	var violations []judge.Violation
	for _, matcher := range c {
		violations = append(violations, matcher.Check(h)...)
	}
	return violations
}

// Match implements Gomega's matcher.
func (c conjunction) Match(actual any) (bool, error) { return match(c, actual) }

// FailureMessage implements Gomega's matcher.
func (c conjunction) FailureMessage(actual any) string { return failure(c, actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (c conjunction) NegatedFailureMessage(actual any) string {
	var texts []string
	for _, matcher := range c {
		texts = append(texts, matcher.NegatedFailureMessage(actual))
	}
	return strings.Join(texts, "\n")
}
