package status

import (
	"fmt"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StallCleared is COND-003: what came with a stall and named its cause does not outlast the next rollout that comes to its end, nor the last node. Of several
// conditions one has to change.
func StallCleared() judge.Rule {
	return judge.Rule{
		Requirement: "COND-003",
		Kind:        judge.Obligation,
		Promise:     "once a rollout is over, a condition that reported that one could not go on is gone or has another status",
		Needs:       stallKinds(),
		Situations:  stalled(),
		New: rollouts(func(r *rolling, _ *judge.Scene) (judge.Due, bool) {
			if !r.isOver() && !r.isEmpty() || len(r.reported) == 0 {
				return judge.Due{}, false
			}
			left, whole := history.LeftConditions(r.reported, r.w.Object.Status.Conditions)
			if !whole {
				r.reported = nil
				return judge.Due{}, false
			}
			var names []string
			for _, condition := range left {
				names = append(names, fmt.Sprintf("%s %s", condition.Type, condition.Status))
			}
			return judge.Due{Extra: settling, Undone: fmt.Sprintf("%s, which reported that a rollout could not go on, still there", strings.Join(names, ", "))}, true
		}),
	}
}
