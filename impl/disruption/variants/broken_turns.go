package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenTurns are right as long as nothing turns: a failure ends, a process begins, a spec changes under the same condition.
func brokenTurns() []Variant {
	return []Variant{
		{Name: "leaves-the-generation-of-its-condition", Says: "Leaves the generation of a condition that stays the same otherwise.", Breaks: []string{"PDB-017"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
				before, after := allowed(&state.Budget.Status), allowed(status)
				if before != nil && after != nil && before.Status == after.Status && before.Reason == after.Reason && before.Message == after.Message {
					after.ObservedGeneration = before.ObservedGeneration
				}
			})},
		{Name: "leaves-deleted-budgets-alone", Says: "Computes no budget that is being deleted.", Breaks: []string{"PDB-011", "PDB-026"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.Budget.DeletionTimestamp != nil {
					*actions = plan.Actions{}
				}
			})},
		{Name: "stays-failed-for-a-minute", Says: "Computes a budget that could not be computed only when its spec changes, or a minute later.", Breaks: []string{"PDB-026"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				stored := &state.Budget.Status
				if actions.Status == nil || failed(actions.Status) || !failed(stored) || stored.ObservedGeneration != state.Budget.Generation {
					return
				}
				if wait := allowed(stored).LastTransitionTime.Add(plan.ScaleRecheck).Sub(now); wait > 0 {
					*actions = plan.Actions{RequeueAfter: wait}
				}
			})},
		{Name: "keeps-evictions-until-gone", Says: "Keeps pods in disruptedPods until they are gone, though they are terminating.", Breaks: []string{"PDB-016"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				for _, pod := range selected(state) {
					granted, listed := state.Budget.Status.DisruptedPods[pod.Name]
					if !listed || pod.DeletionTimestamp == nil || now.Sub(granted.Time) >= plan.DeletionTimeout {
						continue
					}
					if status.DisruptedPods == nil {
						status.DisruptedPods = map[string]metav1.Time{}
					}
					status.DisruptedPods[pod.Name] = granted
				}
			})},
		{Name: "forgets-evictions-when-it-starts", Says: "Takes what is in disruptedPods when its process starts for left over, and counts those pods again.",
			Breaks: []string{"PDB-012"},
			Planner: sinceStart(func(began func(time.Time) time.Time) Around {
				return func(next plan.Planner) plan.Planner {
					return func(state plan.State, now time.Time) plan.Actions {
						start := began(now)
						return counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
							for _, pod := range selected(state) {
								granted, listed := status.DisruptedPods[pod.Name]
								if !listed || !granted.Time.Before(start.Truncate(time.Second)) {
									continue
								}
								delete(status.DisruptedPods, pod.Name)
								if plan.IsHealthy(pod) {
									status.CurrentHealthy++
								}
							}
						})(next)(state, now)
					}
				}
			})},
	}
}

// allowed returns the controller's condition, nil if there is none.
func allowed(status *policyv1.PodDisruptionBudgetStatus) *metav1.Condition {
	return apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
}
