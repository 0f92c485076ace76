package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenOnDeletes do with the OnDelete strategy more than they should, or less.
func brokenOnDeletes() []Variant {
	return []Variant{
		{Name: "updates-although-on-delete", Says: "Updates by itself with the OnDelete strategy too.",
			Breaks: []string{"SURGE-015", "ONDELETE-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
			})},
		{Name: "on-delete-leaves-gaps", Says: "With the OnDelete strategy, creates no pod on an empty node while others have outdated ones.",
			Breaks: []string{"ONDELETE-002", "ONDELETE-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) && slices.ContainsFunc(nodes(state), func(n *node) bool { return len(n.olds) > 0 }) {
					withoutCreations(actions, func(plan.PodCreation) bool { return true })
				}
			})},
		{Name: "on-delete-writes-history-with-the-first-pod", Says: "With the OnDelete strategy, creates a template's history when a pod is to be created of it.",
			Breaks: []string{"ONDELETE-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				full := !slices.ContainsFunc(nodes(state), func(n *node) bool { return n.eligible && len(n.olds)+len(n.news) == 0 })
				if onDelete(state) && full {
					actions.CreateRevision = nil
				}
			})},
		{Name: "on-delete-keeps-history", Says: "With the OnDelete strategy, deletes no history.",
			Breaks: []string{"ONDELETE-004"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) {
					actions.DeleteRevisions = nil
				}
			})},
	}
}

func onDelete(state plan.State) bool {
	return state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
}
