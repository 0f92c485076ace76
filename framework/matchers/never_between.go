package matchers

import (
	"fmt"
)

// NeverBetween asks that x does not happen between a's first occurrence and b's first after that. Without a and b it is not tested; x need not happen.
func NeverBetween(a, b, x Event) NodeMatcher {
	return question{
		promise:  fmt.Sprintf("never %s between %s and %s", x, a, b),
		subjects: []Event{x}, bounds: []Event{a, b},
		ask: func(s *Survey, node string) Answer {
			// The bounds may be felt nowhere, or on another node; only x is asked of the node.
			from := a.find(s)
			if len(from) == 0 {
				return untested("no %s", a)
			}
			to := keep(b.find(s), func(o Occurrence) bool { return o.compare(from[0]) > 0 })
			if len(to) == 0 {
				return untested("no %s after %s", b, a)
			}
			answer := kept()
			for _, o := range s.occurrences(x, node) {
				if o.compare(from[0]) > 0 && o.compare(to[0]) < 0 {
					answer = s.act(fmt.Sprintf("%s %.3f s after %s", x, o.At.Sub(from[0].At).Seconds(), a), o, from[0])
				}
				if len(answer.Violations) > 0 {
					break
				}
			}
			return answer
		},
	}
}
