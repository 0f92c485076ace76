package matchers

import (
	"fmt"
)

// Before asks that x happens first before y happens first. It is broken when y happens without x before it; without y it is not tested.
func Before(x, y Event) NodeMatcher {
	return question{
		promise:  fmt.Sprintf("%s before %s", x, y),
		subjects: []Event{x, y},
		ask: func(s *Survey, node string) Answer {
			xs, ys := s.occurrences(x, node), s.occurrences(y, node)
			switch {
			case len(ys) == 0:
				return untested("no %s", y)
			case len(xs) == 0:
				return s.tooSoon(fmt.Sprintf("%s, and never %s", y, x), ys[0])
			case ys[0].compare(xs[0]) < 0:
				return s.tooSoon(fmt.Sprintf("%s before %s%s", y, x, apart(ys[0], xs[0])), ys[0], xs[0])
			}
			return kept()
		},
	}
}

// apart is the time between two occurrences in words; empty where the clocks cannot tell.
func apart(earlier, later Occurrence) string {
	if took := later.At.Sub(earlier.At); took > 0 {
		return fmt.Sprintf(", by %.3f s", took.Seconds())
	}
	return ""
}

// tooSoon is the answer to what happened before something else had. What the scenario did shows that the other was late: the time for it must have passed
// without a standstill.
func (s *Survey) tooSoon(got string, at Occurrence, others ...Occurrence) Answer {
	if at.Object == nil {
		if answer, excused := s.excusedUntil(got, at.At); excused {
			return answer
		}
	}
	return s.act(got, at, others...)
}
