package status

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusTerminating is STATUS-009.
func StatusTerminating() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-009",
		Kind:        judge.Obligation,
		Promise:     "a terminating pod no longer counts as ready",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  followed(),
		New: counting(field{counts: ready}, func(c *count, _ *judge.Scene) (judge.Due, bool) {
			got := int(c.w.Object.Status.NumberReady)
			if got <= c.surely || got > c.possibly || c.nodeLeft {
				return judge.Due{}, false
			}
			return judge.Due{Extra: settling, Undone: fmt.Sprintf("numberReady %d, want %d, which leaves terminating pods out,", got, c.surely)}, true
		}),
	}
}
