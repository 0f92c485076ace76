package matchers

import (
	"strings"
)

// OneOf asks that one of the promises was kept, where a requirement leaves the choice. It is broken where all of them are.
func OneOf(matchers ...Matcher) Matcher { return disjunction(matchers) }

type disjunction []Matcher

func (d disjunction) answer(s *Survey) Answer {
	answers := make([]Answer, len(d))
	promises := make([]string, len(d))
	tested := true
	for i, matcher := range d {
		answers[i] = matcher.answer(s)
		if answers[i].Kept() {
			return Answer{Promise: answers[i].Promise}
		}
		promises[i] = answers[i].Promise
		tested = tested && len(answers[i].Violations) > 0
	}
	all := join(answers)
	all.Promise = "either " + strings.Join(promises, ", or ")
	if !tested {
		// What was not put to the test may have been kept.
		all.Violations = nil
		return all
	}
	all.Untested = ""
	all.Violations = all.Violations[:1]
	all.Violations[0].Promise = all.Promise
	all.Violations[0].Got = broadly(answers)
	return all
}

// broadly says of every one of the broken promises what was seen instead.
func broadly(answers []Answer) string {
	var seen []string
	for _, answer := range answers {
		seen = append(seen, answer.Violations[0].Got)
	}
	return strings.Join(seen, "; and ")
}

func (d disjunction) asksOf() []Event { return conjunction(d).asksOf() }

// Match implements Gomega's matcher.
func (d disjunction) Match(actual any) (bool, error) { return gomegaMatcher{d}.match(actual) }

// FailureMessage implements Gomega's matcher.
func (d disjunction) FailureMessage(actual any) string { return gomegaMatcher{d}.failure(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (d disjunction) NegatedFailureMessage(actual any) string {
	return gomegaMatcher{d}.negated(actual)
}
