package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenAims want another number of healthy pods.
func brokenAims() []Variant {
	return []Variant{
		{Name: "expects-healthy-pods-only", Says: "Leaves pods that are not healthy out of expectedPods, of an integer minAvailable.", Breaks: []string{"PDB-001"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if !plan.NeedsScale(state.Budget) {
					status.ExpectedPods = status.CurrentHealthy
				}
			})},
		{Name: "wants-no-more-than-there-are", Says: "Takes an integer minAvailable that is above the number of pods for that number, less one.", Breaks: []string{"PDB-001"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if !plan.NeedsScale(state.Budget) && status.DesiredHealthy > status.ExpectedPods {
					status.DesiredHealthy = max(0, status.ExpectedPods-1)
				}
			})},
		{Name: "rounds-min-available-down", Says: "Rounds a percentage of minAvailable down.", Breaks: []string{"PDB-002"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if share, is := percentage(state.Budget.Spec.MinAvailable); is {
					status.DesiredHealthy = status.ExpectedPods * share / 100
				}
			})},
		{Name: "max-unavailable-of-the-pods-there-are", Says: "Takes maxUnavailable off the number of pods that there are, not of those that there should be.",
			Breaks: []string{"PDB-003", "PDB-007"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if value := state.Budget.Spec.MaxUnavailable; value != nil && value.Type == intstr.Int {
					status.ExpectedPods = int32(len(selected(state)))
					status.DesiredHealthy = max(0, status.ExpectedPods-value.IntVal)
				}
			})},
		{Name: "rounds-what-may-be-unavailable-down", Says: "Rounds a percentage of maxUnavailable down.", Breaks: []string{"PDB-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if share, is := percentage(state.Budget.Spec.MaxUnavailable); is {
					status.DesiredHealthy = max(0, status.ExpectedPods-status.ExpectedPods*share/100)
				}
			})},
		{Name: "always-allows-one", Says: "Allows one disruption where the budget allows none, so that drains go on.", Breaks: []string{"PDB-005"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State) {
				if status.CurrentHealthy > 0 {
					status.DesiredHealthy = min(status.DesiredHealthy, status.CurrentHealthy-1)
				}
			})},
		{Name: "an-empty-budget-keeps-its-allowance", Says: "Leaves the status alone once no pod is left.", Breaks: []string{"PDB-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if len(selected(state)) == 0 && state.Budget.Status.ObservedGeneration > 0 {
					actions.Status = nil
				}
			})},
		{Name: "keeps-the-numbers-of-a-limit-that-is-gone", Says: "Goes on expecting and wanting what it did when a budget has no limit any more.", Breaks: []string{"PDBAPI-003", "PDBAPI-015"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if spec := state.Budget.Spec; spec.MinAvailable == nil && spec.MaxUnavailable == nil {
					status.ExpectedPods, status.DesiredHealthy = state.Budget.Status.ExpectedPods, state.Budget.Status.DesiredHealthy
				}
			})},
	}
}
