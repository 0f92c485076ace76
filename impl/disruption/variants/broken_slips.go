package variants

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenSlips are right about one budget, and wrong where a pod goes from one to another.
func brokenSlips() []Variant {
	return []Variant{
		{Name: "tells-the-new-budget-alone", Says: "Updates the budget alone that selects a relabelled pod now, and the one before only if none does.",
			Breaks: []string{"PDB-027"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				concerned := plan.Concerned(budgets, before, after)
				if before == nil || after == nil {
					return concerned
				}
				if now := plan.Concerned(concerned, nil, after); len(now) > 0 {
					return now
				}
				return concerned
			}},
	}
}
