package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenReports say something else about the same numbers.
func brokenReports() []Variant {
	return []Variant{
		{Name: "observes-the-first-generation-only", Says: "Leaves observedGeneration as it first was.", Breaks: []string{"PDB-011"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				if observed := state.Budget.Status.ObservedGeneration; observed > 0 {
					status.ObservedGeneration = observed
					if !failed(status) {
						agree(status, now)
					}
				}
			})},
		{Name: "observes-before-it-counts", Says: "Writes a new generation with the numbers of the one before, and new ones two seconds later.", Breaks: []string{"PDB-011"},
			Planner: remember(func(m *memory[time.Time]) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					seen, stored := m.of(state), state.Budget.Status
					switch {
					case actions.Status == nil:
					case stored.ObservedGeneration > 0 && stored.ObservedGeneration < state.Budget.Generation:
						*seen = now
						actions.Status = stored.DeepCopy()
						actions.Status.ObservedGeneration = state.Budget.Generation
						agree(actions.Status, now)
						comeBack(actions, 2*time.Second)
					case now.Sub(*seen) < 2*time.Second:
						actions.Status = nil
						comeBack(actions, 2*time.Second)
					}
				})
			})},
		{Name: "has-no-condition", Says: "Writes no condition.", Breaks: []string{"PDB-017"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				apimeta.RemoveStatusCondition(&status.Conditions, policyv1.DisruptionAllowedCondition)
			})},
		{Name: "has-a-condition-of-no-generation", Says: "Leaves the generation out of the condition.", Breaks: []string{"PDB-017"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition).ObservedGeneration = 0
			})},
		{Name: "takes-conditions-of-others-away", Says: "Writes its own condition and no other.", Breaks: []string{"PDB-031"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				for _, condition := range status.Conditions {
					if condition.Type != policyv1.DisruptionAllowedCondition {
						apimeta.RemoveStatusCondition(&status.Conditions, condition.Type)
						return
					}
				}
			})},
		{Name: "tells-nothing", Says: "Records no event about a budget.", Breaks: []string{"PDB-035"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutEvents(actions, plan.EventNoPods, plan.EventUnmanagedPods, plan.EventCalculateExpectedPodCountFailed)
			})},
	}
}
