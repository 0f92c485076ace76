package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// NeverBetween asks that x does not happen between a's first occurrence and b's first after that. Both a and b must happen; x need not, ever.
func NeverBetween(a, b, x Event) NodeMatcher {
	return question{
		promise: fmt.Sprintf("never %s between %s and %s", x, a, b),
		events:  []Event{x},
		ask: func(h *history.History, node string) *judge.Violation {
			// The bounds may be felt nowhere, or on another node; only x is asked of the node.
			from := a.find(h)
			if len(from) == 0 {
				return missing(a, h)
			}
			to := keep(b.find(h), func(o Occurrence) bool { return o.compare(from[0]) > 0 })
			if len(to) == 0 {
				return missing(b, h)
			}
			for _, o := range occurrences(x, h, node) {
				if o.compare(from[0]) > 0 && o.compare(to[0]) < 0 {
					return wrong(fmt.Sprintf("%s %.3f s after %s", x, o.At.Sub(from[0].At).Seconds(), a), o, from[0])
				}
			}
			return nil
		},
	}
}
