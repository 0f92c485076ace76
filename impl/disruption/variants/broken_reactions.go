package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenReactions do not look when they should.
func brokenReactions() []Variant {
	return []Variant{
		{Name: "hears-of-new-pods-only", Says: "Looks when a pod is created or gone, and not when one changes.", Breaks: []string{"PDB-026"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				if before != nil && after != nil {
					return nil
				}
				return plan.Concerned(budgets, before, after)
			}},
		{Name: "hears-of-no-pods-that-go", Says: "Does not look when a pod is gone.", Breaks: []string{"PDB-026"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				if after == nil {
					return nil
				}
				return plan.Concerned(budgets, before, after)
			}},
		{Name: "looks-at-new-labels-only", Says: "Looks at the budgets that select a pod, not at those that selected it before, as Kubernetes does.", Breaks: []string{"PDB-027"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				if before != nil && after != nil {
					before = before.DeepCopy()
					before.Labels = after.Labels
				}
				return plan.Concerned(budgets, before, after)
			}},
		{Name: "looks-at-the-first-budget-only", Says: "Looks at the first budget of a pod that has several, as Kubernetes does.", Breaks: []string{"PDB-028"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				concerned := plan.Concerned(budgets, before, after)
				return concerned[:min(1, len(concerned))]
			}},
		{Name: "keeps-to-the-first-spec", Says: "Goes on computing by the spec that a budget had when the process first saw it.", Breaks: []string{"PDBAPI-003"},
			Planner: remember(func(m *memory[policyv1.PodDisruptionBudgetSpec]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					first := m.of(*state)
					if first.MinAvailable == nil && first.MaxUnavailable == nil {
						state.Budget.Spec.DeepCopyInto(first)
					}
					changeBudget(state, func(budget *policyv1.PodDisruptionBudget) { first.DeepCopyInto(&budget.Spec) })
				})
			})},
		{Name: "trusts-what-it-finds", Says: "Takes a status that was there before its process for right until the budget changes.", Breaks: []string{"PDB-030"},
			Planner: sinceStart(func(began func(time.Time) time.Time) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					if state.Budget.CreationTimestamp.Time.Before(began(now)) && state.Budget.Status.ObservedGeneration == state.Budget.Generation {
						*actions = plan.Actions{}
					}
				})
			})},
	}
}
