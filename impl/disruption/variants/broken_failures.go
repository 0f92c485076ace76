package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenFailures do otherwise with a budget that cannot be computed.
func brokenFailures() []Variant {
	return []Variant{
		{Name: "fails-open", Says: "Leaves the status of a budget as it is when it cannot be computed any more.", Breaks: []string{"PDB-018"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Status != nil && failed(actions.Status) && state.Budget.Status.ObservedGeneration > 0 {
					actions.Status = nil
				}
			})},
		{Name: "fails-without-a-reason", Says: "Allows nothing when a budget cannot be computed, and says that there are not enough pods.", Breaks: []string{"PDB-018", "PDB-020"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, now time.Time) {
				if failed(status) {
					agree(status, now)
				}
			})},
		{Name: "fails-without-a-cause", Says: "Says of a budget that cannot be computed only that it cannot.", Breaks: []string{"PDB-021"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				if failed(status) {
					apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition).Message = "the budget cannot be computed"
				}
			})},
		{Name: "needs-a-controller-for-a-number", Says: "Cannot compute an integer minAvailable of pods without a controller either.", Breaks: []string{"PDB-019"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				for _, pod := range selected(state) {
					if unmanaged(pod) && !plan.NeedsScale(state.Budget) {
						status.DisruptionsAllowed, status.ExpectedPods, status.DesiredHealthy = 0, 0, 0
						apimeta.SetStatusCondition(&status.Conditions, metav1.Condition{
							Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "a pod has no controller",
							ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy(),
						})
						return
					}
				}
			})},
		{Name: "keeps-the-numbers-over-a-passing-failure", Says: "Leaves the status of a budget as it is while a scale cannot be read that may be read the next time.",
			Breaks: []string{"PDB-018", "EVICT-025"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Retry != nil && state.Budget.Status.ObservedGeneration > 0 {
					actions.Status = nil
				}
			})},
		{Name: "keeps-evictions-while-it-fails", Says: "Leaves disruptedPods as it is while a budget cannot be computed.", Breaks: []string{"PDB-014"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
				if failed(status) {
					status.DisruptedPods = state.Budget.Status.DisruptedPods
				}
			})},
	}
}
