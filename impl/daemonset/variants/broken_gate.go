package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenGates do otherwise while the feature gate DaemonSetUpdateSurge is off.
func brokenGates() []Variant {
	return []Variant{
		{Name: "surges-without-the-gate", Says: "Surges although the feature gate is off.",
			Breaks:  []string{"GATE-002", "GATE-003", "GATE-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.SurgeDisabled = false })},
		{Name: "stands-still-without-the-gate", Says: "Deletes no available old pod while the feature gate is off and maxUnavailable is zero.",
			Breaks: []string{"GATE-003", "GATE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.SurgeDisabled && limitOf(state, maxUnavailable) == 0 {
					withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
				}
			})},
		{Name: "gives-up-available-pods-without-the-gate", Says: "Keeps the updated one of two pods while the feature gate is off, whether or not it is available.",
			Breaks: []string{"GATE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if !state.SurgeDisabled || state.AwaitingOwnWrites {
					return
				}
				for _, n := range nodes(state) {
					if len(n.olds) == 1 && len(n.news) == 1 {
						withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name })
						remove(actions, n.olds[0], plan.ReasonDuplicate)
					}
				}
			})},
	}
}
