package history

import (
	"slices"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
)

// Budgets returns the recorded PodDisruptionBudgets that exist, by name.
func (c *Cluster) Budgets() []*policyv1.PodDisruptionBudget {
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range c.objects[KindPodDisruptionBudget] {
		if budget, ok := object.(*policyv1.PodDisruptionBudget); ok {
			budgets = append(budgets, budget)
		}
	}
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int { return strings.Compare(a.Name, b.Name) })
	return budgets
}
