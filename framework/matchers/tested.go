package matchers

// Tested asks only whether the history puts another promise to the test: where the matcher is not kept, this one is not tested, and never broken. It stands
// beside the promise in one Decide, so that what was seen broken stays broken, and what was not is no pass.
func Tested(m Matcher) Matcher { return premise{m} }

type premise struct{ Matcher }

func (p premise) answer(s *Survey) Answer {
	answer := p.Matcher.answer(s)
	if answer.Kept() {
		return answer
	}
	return Answer{Promise: answer.Promise, Untested: answer.String(), Due: answer.Due}
}

// Match implements Gomega's matcher.
func (p premise) Match(actual any) (bool, error) { return gomegaMatcher{p}.match(actual) }

// FailureMessage implements Gomega's matcher.
func (p premise) FailureMessage(actual any) string { return gomegaMatcher{p}.failure(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (p premise) NegatedFailureMessage(actual any) string { return gomegaMatcher{p}.negated(actual) }
