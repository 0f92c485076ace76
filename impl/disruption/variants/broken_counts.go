package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenCounts take other pods for selected or for healthy.
func brokenCounts() []Variant {
	return []Variant{
		{Name: "counts-terminating-pods", Says: "Counts pods that are terminating as healthy as long as they are Ready.", Breaks: []string{"PDB-009"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				for _, pod := range selected(state) {
					if pod.DeletionTimestamp == nil {
						continue
					}
					staying := pod.DeepCopy()
					staying.DeletionTimestamp = nil
					if plan.IsHealthy(staying) {
						status.CurrentHealthy++
					}
				}
			})},
		{Name: "counts-running-pods", Says: "Counts pods as healthy that are running, whether or not they are Ready.", Breaks: []string{"PDB-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }, func(pod *corev1.Pod) {
					pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
				})
			})},
		{Name: "counts-pods-whose-containers-are-ready", Says: "Counts pods as healthy whose containers are Ready, whatever their readiness gates say.", Breaks: []string{"PDB-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				containersReady := func(c corev1.PodCondition) bool {
					return c.Type == corev1.ContainersReady && c.Status == corev1.ConditionTrue
				}
				changePods(state, func(pod *corev1.Pod) bool { return slices.ContainsFunc(pod.Status.Conditions, containersReady) }, func(pod *corev1.Pod) {
					pod.Status.Conditions = append(slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady }),
						corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
				})
			})},
		{Name: "counts-pods-that-are-being-evicted", Says: "Counts pods as healthy whose eviction was granted, until they are terminating.",
			Breaks: []string{"PDB-013"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				for _, pod := range selected(state) {
					if _, listed := status.DisruptedPods[pod.Name]; listed && plan.IsHealthy(pod) {
						status.CurrentHealthy++
					}
				}
			})},
		{Name: "counts-no-more-than-expected", Says: "Counts no more pods as healthy than are expected: one of each node, and no second.", Breaks: []string{"CROSS-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				seen := sets.New[string]()
				for _, pod := range selected(state) {
					if plan.IsHealthy(pod) && pod.DeletionTimestamp == nil {
						seen.Insert(pod.Spec.NodeName)
					}
				}
				status.CurrentHealthy = min(status.CurrentHealthy, int32(seen.Len()))
			})},
		{Name: "empty-selector-selects-nothing", Says: "Takes an empty selector for none, as policy/v1beta1 did.", Breaks: []string{"PDBAPI-009"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if s := state.Budget.Spec.Selector; s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
					changeBudget(state, func(budget *policyv1.PodDisruptionBudget) { budget.Spec.Selector = nil })
				}
			})},
		{Name: "no-selector-selects-everything", Says: "Takes a budget without a selector for one of all pods.", Breaks: []string{"PDBAPI-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if state.Budget.Spec.Selector == nil {
					changeBudget(state, func(budget *policyv1.PodDisruptionBudget) { budget.Spec.Selector = &metav1.LabelSelector{} })
				}
			})},
	}
}
