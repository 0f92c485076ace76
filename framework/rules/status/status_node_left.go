package status

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// StatusNodeLeft is STATUS-014.
func StatusNodeLeft() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-014",
		Kind:        judge.Obligation,
		Promise:     "when a node is deleted, desiredNumberScheduled and numberMisscheduled follow",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  append(followed(), situation.Closed()),
		New:         judge.Both(leaving(desired()), leaving(misscheduled())),
	}
}

// leaving is the obligation that the field follows the deletion of a node.
func leaving(f field) func(history.Header) judge.Observer {
	return counting(f, func(c *count, _ *judge.Scene) (judge.Due, bool) {
		got := int(f.value(c.w.Object.Status))
		if !c.nodeLeft || got >= c.surely && got <= c.possibly {
			return judge.Due{}, false
		}
		return judge.Due{Undone: fmt.Sprintf("%s %d, want %s,", f.name, got, c.wanted())}, true
	})
}
