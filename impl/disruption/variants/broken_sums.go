package variants

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenSums are right for most numbers and selectors.
func brokenSums() []Variant {
	return []Variant{
		{Name: "takes-shares-in-floating-point", Says: "Computes a percentage in floating point, where 28 % of 25 is a little more than 7, and rounds up.",
			Breaks: []string{"PDB-002", "PDB-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				of := func(share int32) int32 {
					return int32(math.Ceil(float64(share) / 100 * float64(status.ExpectedPods)))
				}
				if share, is := percentage(state.Budget.Spec.MinAvailable); is {
					status.DesiredHealthy = of(share)
				}
				if share, is := percentage(state.Budget.Spec.MaxUnavailable); is {
					status.DesiredHealthy = max(0, status.ExpectedPods-of(share))
				}
			})},
		{Name: "wants-less-than-no-pod", Says: "Has a desiredHealthy below zero where maxUnavailable is above the number of pods.", Breaks: []string{"PDB-003"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if most := state.Budget.Spec.MaxUnavailable; most != nil && most.Type == intstr.Int {
					status.DesiredHealthy = min(status.DesiredHealthy, status.ExpectedPods-most.IntVal)
				}
			})},
		{Name: "takes-evictions-off-twice", Says: "Takes the pods in disruptedPods off what it allows although they are not among the healthy ones.", Breaks: []string{"PDB-001"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, now time.Time) {
				status.DisruptionsAllowed = max(0, status.DisruptionsAllowed-int32(len(status.DisruptedPods)))
				if !failed(status) {
					agree(status, now)
				}
			})},
		{Name: "allows-no-more-than-its-maxunavailable", Says: "Allows no more disruptions than maxUnavailable says, also where there are more healthy pods than are expected.",
			Breaks: []string{"PDB-026"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				if most := state.Budget.Spec.MaxUnavailable; most != nil && most.Type == intstr.Int && !failed(status) {
					status.DisruptionsAllowed = min(status.DisruptionsAllowed, most.IntVal)
					agree(status, now)
				}
			})},
		{Name: "takes-not-in-for-one-of-others", Says: "Does not match pods without the label by NotIn.", Breaks: []string{"PDB-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				selector := state.Budget.Spec.Selector
				if selector == nil {
					return
				}
				withoutPods(state, func(pod *corev1.Pod) bool {
					return slices.ContainsFunc(selector.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
						_, has := pod.Labels[e.Key]
						return e.Operator == metav1.LabelSelectorOpNotIn && !has
					})
				})
			})},
	}
}
