package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Exactly asks that x happens n times: not more often, and that many times once nothing moves any more.
func Exactly(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("exactly %d × %s", n, x), x, n, n, (*Survey).overdue)
}

// AtLeast asks that x happens n times or more. It is broken only once nothing moves any more: until then it may still happen.
func AtLeast(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("at least %d × %s", n, x), x, n, -1, (*Survey).overdue)
}

// AtMost asks that x happens n times or less; it is kept when x never happens.
func AtMost(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("at most %d × %s", n, x), x, 0, n, nil)
}

// UpTo asks that x does not happen more than n times, and is tested only where it happens n times: a limit that was never reached was not tried.
func UpTo(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("at most %d × %s", n, x), x, n, n, func(_ *Survey, got string, _ ...Occurrence) Answer {
		return untested("%s, so the limit was not reached", got)
	})
}

// Never asks that x does not happen.
func Never(x Event) NodeMatcher { return count(fmt.Sprintf("never %s", x), x, 0, 0, nil) }

// count bounds how often x happens; a negative most is no bound. short is the answer to fewer than least.
func count(promise string, x Event, least, most int, short func(s *Survey, got string, seen ...Occurrence) Answer) question {
	return question{promise: promise, subjects: []Event{x}, ask: func(s *Survey, node string) Answer {
		found := s.occurrences(x, node)
		// Those that a standstill may explain are at most left undecided.
		certain := keep(found, func(o Occurrence) bool { return s.h.Overshadowing(o.At) == nil })
		got := fmt.Sprintf("%d × %s", len(found), x)
		switch {
		case most >= 0 && len(certain) > most:
			return wrong(got, certain[most], certain[:most]...)
		case most >= 0 && len(found) > most:
			return untested("%s, of which a standstill may explain %d: %s", got, len(found)-len(certain), s.firstStandstill(found))
		case len(found) < least && len(found) == 0:
			return short(s, fmt.Sprintf("no %s at all", x))
		case len(found) < least:
			return short(s, fmt.Sprintf("only %d × %s", len(found), x), found...)
		}
		return kept()
	}}
}

// firstStandstill is the first one that may explain one of the occurrences; nil if none does.
func (s *Survey) firstStandstill(found []Occurrence) *history.Standstill {
	for _, o := range found {
		if standstill := s.h.Overshadowing(o.At); standstill != nil {
			return standstill
		}
	}
	return nil
}
