package matchers

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Within asks that each time that from happens, to follows within d. From must happen.
//
// The instants compared are those at which the harness received the events, so d must leave room for that: milliseconds. A pod that becomes
// available by waiting does so at an instant with a resolution of one second, rounded down.
func Within(d time.Duration, from, to Event) NodeMatcher {
	return question{
		promise: fmt.Sprintf("%s within %s of %s", to, d, from),
		events:  []Event{from},
		ask: func(h *history.History, node string) *judge.Violation {
			begun := occurrences(from, h, node)
			if len(begun) == 0 {
				return missing(from, h)
			}
			for _, begin := range begun {
				follows := keep(occurrences(to, h, node), func(o Occurrence) bool { return o.compare(begin) > 0 })
				if len(follows) == 0 {
					return wrong(fmt.Sprintf("no %s after %s", to, from), begin)
				}
				if took := follows[0].At.Sub(begin.At); took > d {
					return wrong(fmt.Sprintf("%s after %.3f s", to, took.Seconds()), follows[0], begin)
				}
			}
			return nil
		},
	}
}

// NotWithin asks that to does not follow within d of from's first occurrence. From must happen; to need not.
// The harness may hear of from late, which makes to seem early: d has to be clearly less than what is promised.
func NotWithin(d time.Duration, from, to Event) NodeMatcher {
	return question{
		promise: fmt.Sprintf("no %s within %s of %s", to, d, from),
		events:  []Event{from},
		ask: func(h *history.History, node string) *judge.Violation {
			begun := occurrences(from, h, node)
			if len(begun) == 0 {
				return missing(from, h)
			}
			for _, o := range occurrences(to, h, node) {
				if took := o.At.Sub(begun[0].At); o.compare(begun[0]) > 0 && took < d {
					return wrong(fmt.Sprintf("%s after %.3f s", to, took.Seconds()), o, begun[0])
				}
			}
			return nil
		},
	}
}
