package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Before asks that x happens first before y happens first. Both must happen.
func Before(x, y Event) NodeMatcher {
	return question{
		promise: fmt.Sprintf("%s before %s", x, y),
		events:  []Event{x, y},
		ask: func(h *history.History, node string) *judge.Violation {
			xs, ys := occurrences(x, h, node), occurrences(y, h, node)
			switch {
			case len(xs) == 0 && len(ys) > 0:
				return wrong(fmt.Sprintf("%s, and never %s", y, x), ys[0])
			case len(xs) == 0:
				return missing(x, h)
			case len(ys) == 0:
				return missing(y, h)
			case ys[0].compare(xs[0]) < 0:
				return wrong(fmt.Sprintf("%s %.3f s before %s", y, xs[0].At.Sub(ys[0].At).Seconds(), x), ys[0], xs[0])
			}
			return nil
		},
	}
}
