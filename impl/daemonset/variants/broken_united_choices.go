package variants

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedChoices choose nodes, who has a target, or when a subset is made, by less than there is to go by.
func brokenUnitedChoices() []Variant {
	return []Variant{
		{Name: "united-compares-no-numbers", Says: "Gives no nodes to a subset whose matchExpressions have Gt or Lt.", Breaks: []string{"UNITED-006"},
			United: seeingUnited(withoutComparisons)},
		{Name: "united-compares-itself-with-the-youngest", Says: "Asks of the other UnitedDaemonSets of its target the youngest alone whether it was there first.",
			Breaks: []string{"UNITED-036"},
			United: func(next plan.Planner) plan.Planner { return blind(next, youngestRivalAlone) }},
		{Name: "united-makes-subsets-for-new-generations", Says: "Makes DaemonSets of subsets for a new generation, or for a target that was missing, and for no other reason.",
			Breaks: []string{"UNITED-015"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				status := state.United.Status
				if status.ObservedGeneration == state.United.Generation && apimeta.IsStatusConditionTrue(status.Conditions, api.Effective) {
					actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool { return write.DaemonSet.ResourceVersion == "" })
				}
			})},
	}
}

// withoutComparisons has subsets that compare numbers select nothing.
func withoutComparisons(united *api.UnitedDaemonSet) {
	for i := range united.Spec.Subsets {
		selector := &united.Spec.Subsets[i].Selector
		if slices.ContainsFunc(selector.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
			return e.Operator == corev1.NodeSelectorOpGt || e.Operator == corev1.NodeSelectorOpLt
		}) {
			// Terms without requirements select nothing.
			selector.MatchExpressions = nil
		}
	}
}

// youngestRivalAlone hides all UnitedDaemonSets of the target but the one itself and the youngest of the others.
func youngestRivalAlone(state *plan.State) {
	rivals := plan.Rivals(*state)
	if len(rivals) < 2 {
		return
	}
	youngest := slices.MaxFunc(rivals, func(a, b *api.UnitedDaemonSet) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	state.Others = slices.DeleteFunc(slices.Clone(state.Others), func(other *api.UnitedDaemonSet) bool {
		return other != youngest && slices.Contains(rivals, other)
	})
}
