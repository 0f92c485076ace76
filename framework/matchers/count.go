package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Exactly asks that x happens n times.
func Exactly(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("exactly %d × %s", n, x), x, n, n)
}

// AtLeast asks that x happens n times or more.
func AtLeast(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("at least %d × %s", n, x), x, n, -1)
}

// AtMost asks that x happens n times or less; it is satisfied when x never happens.
func AtMost(n int, x Event) NodeMatcher {
	return count(fmt.Sprintf("at most %d × %s", n, x), x, 0, n)
}

// Never asks that x does not happen.
func Never(x Event) NodeMatcher { return count(fmt.Sprintf("never %s", x), x, 0, 0) }

// count bounds how often x happens; a negative most is no bound.
func count(promise string, x Event, least, most int) question {
	return question{promise: promise, events: []Event{x}, ask: func(h *history.History, node string) *judge.Violation {
		found := occurrences(x, h, node)
		switch {
		case most >= 0 && len(found) > most:
			return wrong(fmt.Sprintf("%d × %s", len(found), x), found[most], found[:most]...)
		case len(found) < least && len(found) == 0:
			return missing(x, h)
		case len(found) < least:
			violation := wrong(fmt.Sprintf("only %d × %s", len(found), x), found[len(found)-1], found[:len(found)-1]...)
			violation.Node = node
			return violation
		}
		return nil
	}}
}
