package state

import (
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
)

// BudgetNumbers are a PodDisruptionBudget's status in words.
func BudgetNumbers(status policyv1.PodDisruptionBudgetStatus) string {
	return fmt.Sprintf("allowed %d, healthy %d, desired %d, expected %d, disrupted %d, observed generation %d",
		status.DisruptionsAllowed, status.CurrentHealthy, status.DesiredHealthy, status.ExpectedPods, len(status.DisruptedPods), status.ObservedGeneration)
}
