package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenFirsts go by what was first, or what comes first.
func brokenFirsts() []Variant {
	return []Variant{
		{Name: "counts-pods-since-it-did", Says: "Goes on expecting as many pods as there are once an integer minAvailable has become a limit that needs a scale.",
			Breaks: []string{"PDBAPI-003"}, Planner: remember(countPodsAsBefore)},
		{Name: "matches-the-first-expression", Says: "Looks at the first of the matchExpressions of a selector.", Breaks: []string{"PDB-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if selector := state.Budget.Spec.Selector; selector != nil && len(selector.MatchExpressions) > 1 {
					changeBudget(state, func(budget *policyv1.PodDisruptionBudget) {
						budget.Spec.Selector.MatchExpressions = budget.Spec.Selector.MatchExpressions[:1]
					})
				}
			})},
		{Name: "takes-the-first-condition-for-its-own", Says: "Writes its condition in the place of the first, whatever that is.", Breaks: []string{"PDB-031"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				if len(status.Conditions) > 1 && status.Conditions[0].Type != policyv1.DisruptionAllowedCondition {
					status.Conditions = status.Conditions[1:]
				}
			})},
	}
}

// firstLimit says what limit a budget had when it was first seen.
type firstLimit struct{ known, needsScale bool }

// countPodsAsBefore takes the number of pods for the scale where the budget needed none at first.
func countPodsAsBefore(m *memory[firstLimit]) Around {
	return counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
		first, needsScale := m.of(state), plan.NeedsScale(state.Budget)
		if !first.known {
			*first = firstLimit{known: true, needsScale: needsScale}
		}
		if first.needsScale || !needsScale {
			return
		}
		pods := len(selected(state))
		// The API server has validated the limits.
		if limit := state.Budget.Spec.MaxUnavailable; limit != nil {
			unavailable, _ := intstr.GetScaledValueFromIntOrPercent(limit, pods, true)
			status.DesiredHealthy = int32(max(0, pods-unavailable))
		} else {
			wanted, _ := intstr.GetScaledValueFromIntOrPercent(state.Budget.Spec.MinAvailable, pods, true)
			status.DesiredHealthy = int32(wanted)
		}
		status.ExpectedPods = int32(pods)
	})
}
