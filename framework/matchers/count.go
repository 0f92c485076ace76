package matchers

import (
	"fmt"
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
		switch {
		case most >= 0 && len(found) > most:
			return wrong(fmt.Sprintf("%d × %s", len(found), x), found[most], found[:most]...)
		case len(found) < least && len(found) == 0:
			return short(s, fmt.Sprintf("no %s at all", x))
		case len(found) < least:
			return short(s, fmt.Sprintf("only %d × %s", len(found), x), found...)
		}
		return kept()
	}}
}
