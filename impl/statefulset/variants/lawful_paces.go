package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// lawfulPaces are slower than they might be.
func lawfulPaces() []Variant {
	return []Variant{
		{Name: "set-waits-for-all", Says: "Updates a pod of a StatefulSet only while all updated ones are available, and all are there.",
			Lawful: "how many pods may be unavailable is an upper bound",
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if len(actions.CreatePods) > 0 {
					actions.UpdatePods = nil
					return
				}
				for _, pod := range unavailable(state, now) {
					for _, update := range actions.UpdatePods {
						if pod.Labels[plan.RevisionLabel] == update.Labels[plan.RevisionLabel] {
							actions.UpdatePods = nil
							return
						}
					}
				}
			})},
		{Name: "set-pauses-between-pods", Says: "Lets a second pass before it updates a pod of a StatefulSet.", Lawful: "a second is no delay that is forbidden",
			Planner: pausing},
	}
}

// pause is for how long pausing waits.
const pause = time.Second

// pausing carries an update out once it has been wanted for a pause.
func pausing(next plan.Planner) plan.Planner {
	since := newClock()
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if len(actions.UpdatePods) == 0 {
			since.clear(state.Set.UID)
			return actions
		}
		if left := since.wanted(state.Set.UID, now).Add(pause).Sub(now); left > 0 {
			actions.UpdatePods = nil
			if actions.RequeueAfter == 0 || left < actions.RequeueAfter {
				actions.RequeueAfter = left
			}
		}
		return actions
	}
}
