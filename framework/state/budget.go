package state

import (
	"fmt"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// BudgetNumbers are a PodDisruptionBudget's status in words.
func BudgetNumbers(status policyv1.PodDisruptionBudgetStatus) string {
	return fmt.Sprintf("allowed %d, healthy %d, desired %d, expected %d, disrupted %d, observed generation %d",
		status.DisruptionsAllowed, status.CurrentHealthy, status.DesiredHealthy, status.ExpectedPods, len(status.DisruptedPods), status.ObservedGeneration)
}

// Budget holds when the status of the PodDisruptionBudget of that name is as the predicate wants it.
func Budget(name, text string, is func(policyv1.PodDisruptionBudgetStatus) bool) Condition {
	return Condition{Text: fmt.Sprintf("the status of PodDisruptionBudget %s: %s", name, text), Unmet: func(cluster *history.Cluster) string {
		for _, budget := range cluster.Budgets() {
			switch {
			case budget.Name != name:
				continue
			case !is(budget.Status):
				return "it says " + BudgetNumbers(budget.Status)
			}
			return ""
		}
		return "there is no such budget"
	}}
}
