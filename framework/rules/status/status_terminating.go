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
		Promise:     "a terminating pod no longer counts as ready, nor as available",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  followed(),
		// Of the nodes with a live Ready pod some may not have an available one yet (STATUS-005): so many at most.
		New: counting(field{counts: ready}, func(c *count, _ *judge.Scene) (judge.Due, bool) {
			status := c.w.Object.Status
			for _, number := range []struct {
				name string
				got  int32
			}{{"numberReady", status.NumberReady}, {"numberAvailable", status.NumberAvailable}} {
				if got := int(number.got); got > c.surely && got <= c.possibly && !c.nodeLeft {
					return judge.Due{Extra: settling, Undone: fmt.Sprintf("%s %d, want %d at most, which leaves terminating pods out,", number.name, got, c.surely)}, true
				}
			}
			return judge.Due{}, false
		}),
	}
}
