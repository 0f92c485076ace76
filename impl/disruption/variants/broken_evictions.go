package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenEvictions do otherwise with pods whose eviction was granted.
func brokenEvictions() []Variant {
	return []Variant{
		{Name: "forgets-evictions", Says: "Takes pods off disruptedPods before they are seen to go, and counts them again.", Breaks: []string{"PDB-012"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				for _, pod := range selected(state) {
					if _, listed := status.DisruptedPods[pod.Name]; listed && plan.IsHealthy(pod) {
						status.CurrentHealthy++
					}
				}
				status.DisruptedPods = nil
			})},
		{Name: "keeps-evictions", Says: "Keeps pods in disruptedPods until two minutes have passed, though they are gone.", Breaks: []string{"PDB-016"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				for name, granted := range state.Budget.Status.DisruptedPods {
					if now.Sub(granted.Time) < plan.DeletionTimeout {
						if status.DisruptedPods == nil {
							status.DisruptedPods = map[string]metav1.Time{}
						}
						status.DisruptedPods[name] = granted
					}
				}
			})},
		{Name: "never-gives-up-on-an-eviction", Says: "Waits for the deletion of an evicted pod for ever.", Breaks: []string{"PDB-014"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					// As of when they were all granted just now.
					for _, granted := range state.Budget.Status.DisruptedPods {
						if granted.Time.Before(now) {
							now = granted.Time
						}
					}
					return next(state, now)
				}
			}},
		{Name: "gives-up-on-an-eviction-early", Says: "Gives up on an evicted pod that is not deleted after half a minute.", Breaks: []string{"PDB-014"},
			Planner: seeing(func(state *plan.State, now time.Time) {
				changeBudget(state, func(budget *policyv1.PodDisruptionBudget) {
					for name, granted := range budget.Status.DisruptedPods {
						if now.Sub(granted.Time) > 30*time.Second {
							budget.Status.DisruptedPods[name] = metav1.NewTime(now.Add(-plan.DeletionTimeout))
						}
					}
				})
			})},
		{Name: "gives-up-on-an-eviction-by-chance", Says: "Gives up on an evicted pod that is not deleted when something else has it look.", Breaks: []string{"PDB-015"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { actions.RequeueAfter = 0 })},
		{Name: "gives-up-silently", Says: "Tells nobody that an evicted pod was not deleted.", Breaks: []string{"PDB-014"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { withoutEvents(actions, plan.EventNotDeleted) })},
		{Name: "leaves-stale-targets", Says: "Leaves the condition DisruptionTarget as it is.", Breaks: []string{"PDB-034"},
			Reset: func(*corev1.Pod, time.Time) plan.TargetActions { return plan.TargetActions{} }},
		{Name: "resets-targets-at-once", Says: "Resets the condition DisruptionTarget of any pod that is not terminating.", Breaks: []string{"PDB-034"},
			Reset: func(pod *corev1.Pod, now time.Time) plan.TargetActions {
				return plan.Reset(pod, now.Add(plan.TargetTimeout))
			}},
	}
}

func withoutEvents(actions *plan.Actions, reasons ...string) {
	actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool { return slices.Contains(reasons, event.Reason) })
}
