package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCordons treat nodes otherwise that are marked unschedulable.
func brokenCordons() []Variant {
	return []Variant{
		{Name: "cordoned-nodes-wait-with-their-update", Says: "Replaces no available old pod on a cordoned node.",
			Breaks: []string{"ROLLING-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				cordoned := map[string]bool{}
				for _, each := range state.Nodes {
					cordoned[each.Name] = each.Spec.Unschedulable
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonSurge && cordoned[c.Node] })
				withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonOutdated && cordoned[d.Node] })
			})},
		{Name: "cordoned-nodes-take-no-slot", Says: "Does not hold a surge pod on a cordoned node against maxSurge.",
			Breaks: []string{"SURGE-002"},
			Planner: lenient(maxSurge, func(n *node, state plan.State, now time.Time) bool {
				return n.object.Spec.Unschedulable && n.surges(state, now)
			})},
		{Name: "cordoned-nodes-cost-nothing", Says: "Does not hold a cordoned node without an available pod against maxUnavailable.",
			Breaks: []string{"ROLLING-010", "ROLLING-002"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return n.object.Spec.Unschedulable && n.unavailable(state, now)
			})},
		{Name: "leaves-unready-pods-on-cordoned-nodes", Says: "Creates no updated pod on a cordoned node whose old pod is not available.",
			Breaks: []string{"UNREADY-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				cordoned := map[string]bool{}
				for _, each := range state.Nodes {
					cordoned[each.Name] = each.Spec.Unschedulable
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonOldUnavailable && cordoned[c.Node] })
			})},
	}
}
