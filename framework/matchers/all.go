package matchers

// All asks every one of the questions.
func All(matchers ...Matcher) Matcher { return conjunction(matchers) }

type conjunction []Matcher

func (c conjunction) answer(s *Survey) Answer {
	answers := make([]Answer, len(c))
	for i, matcher := range c {
		answers[i] = matcher.answer(s)
	}
	return join(answers)
}

func (c conjunction) asksOf() []Event {
	var events []Event
	for _, matcher := range c {
		events = append(events, matcher.asksOf()...)
	}
	return events
}

// Match implements Gomega's matcher.
func (c conjunction) Match(actual any) (bool, error) { return gomegaMatcher{c}.match(actual) }

// FailureMessage implements Gomega's matcher.
func (c conjunction) FailureMessage(actual any) string { return gomegaMatcher{c}.failure(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (c conjunction) NegatedFailureMessage(actual any) string {
	return gomegaMatcher{c}.negated(actual)
}
