package matchers

import (
	"fmt"
	"time"
)

// Within asks that each time that from happens, to follows within d. It is broken once d has passed without; where from never happens, or the recording
// ends before d has passed, it is not tested; nor where only a standstill of the API server made it longer.
//
// It begins when the harness received from, and ends when the request behind to was answered, where that is known (see history.Author), or else when the
// harness received to, so d must leave room for that: milliseconds. A pod that becomes available by waiting does so at an instant with a resolution of one
// second, rounded down.
func Within(d time.Duration, from, to Event) NodeMatcher {
	return question{
		promise:  fmt.Sprintf("%s within %s of %s", to, d, from),
		subjects: []Event{from}, bounds: []Event{to},
		ask: func(s *Survey, node string) Answer {
			begun := s.occurrences(from, node)
			if len(begun) == 0 {
				return untested("no %s", from)
			}
			pending := Answer{}
			for _, begin := range begun {
				follows := keep(s.occurrences(to, node), func(o Occurrence) bool { return o.compare(begin) > 0 })
				until := s.last.Time
				if len(follows) > 0 {
					until = follows[0].answered()
				}
				took := max(until.Sub(begin.At), 0).Seconds()
				late, standstill := s.late(begin.At, until, d)
				switch {
				case len(follows) > 0 && late:
					return wrong(fmt.Sprintf("%s after %.3f s", to, took), follows[0], begin)
				case late:
					return missed(wrong(fmt.Sprintf("no %s in %.3f s after %s", to, took, from), begin), s.h.Allowed(begin.At, d))
				case standstill != nil:
					pending.Untested = fmt.Sprintf("%s %.3f s after %s: %s", to, took, from, standstill)
				case len(follows) == 0:
					pending.Untested = fmt.Sprintf("the recording ends %.3f s after %s", took, from)
					pending.Due = later(pending.Due, s.h.Allowed(begin.At, d))
				}
			}
			return pending
		},
	}
}

// missed is the answer with the deadline as the time at which the promise was broken: what began the wait broke nothing.
func missed(answer Answer, deadline time.Time) Answer {
	for i := range answer.Violations {
		answer.Violations[i].Time = deadline
	}
	return answer
}

// NotWithin asks that to does not follow within d of from's first occurrence. Without from it is not tested; to need not happen.
// The harness may hear of from late, which makes to seem early. Time counts from when the request behind from was answered, where that is known (see
// history.Author); elsewhere d has to be clearly less than what is promised.
func NotWithin(d time.Duration, from, to Event) NodeMatcher {
	return question{
		promise:  fmt.Sprintf("no %s within %s of %s", to, d, from),
		subjects: []Event{from}, bounds: []Event{to},
		ask: func(s *Survey, node string) Answer {
			begun := s.occurrences(from, node)
			if len(begun) == 0 {
				return untested("no %s", from)
			}
			since := begun[0].answered()
			for _, o := range s.occurrences(to, node) {
				if took := o.At.Sub(since); o.compare(begun[0]) > 0 && took < d {
					if answer, excused := s.excused(fmt.Sprintf("%s after %.3f s", to, max(took, 0).Seconds()), since); excused {
						return answer
					}
					return s.act(fmt.Sprintf("%s after %.3f s", to, max(took, 0).Seconds()), o, begun[0])
				}
			}
			return kept()
		},
	}
}
