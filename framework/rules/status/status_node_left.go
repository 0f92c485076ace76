package status

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusNodeLeft is STATUS-014.
func StatusNodeLeft() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-014",
		Kind:        judge.Obligation,
		Promise:     "when a node is deleted, desiredNumberScheduled follows",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  followed(),
		New: counting(desired(), func(c *count, _ *judge.Scene) (judge.Due, bool) {
			got := int(c.w.Object.Status.DesiredNumberScheduled)
			if got == c.surely || !c.nodeLeft {
				return judge.Due{}, false
			}
			return judge.Due{Undone: fmt.Sprintf("desiredNumberScheduled %d, want %d,", got, c.surely)}, true
		}),
	}
}
