package plan

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Concern is Concerned, or a function in its place.
type Concern func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget

// Concerned returns those of the budgets, all of the pod's namespace, that a change of a pod concerns: every one that selects it now (PDB-028) or selected
// it before (PDB-027), or that waits for it to be deleted. before is nil for a pod that is new, after for one that is gone.
func Concerned(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
	if before != nil && after != nil && sameForBudgets(before, after) {
		return nil
	}
	var concerned []*policyv1.PodDisruptionBudget
	for _, budget := range budgets {
		if concerns(budget, before) || concerns(budget, after) {
			concerned = append(concerned, budget)
		}
	}
	return concerned
}

func concerns(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	if pod == nil {
		return false
	}
	if _, waits := budget.Status.DisruptedPods[pod.Name]; waits {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// sameForBudgets spares most of the changes of a pod a look at every budget.
func sameForBudgets(before, after *corev1.Pod) bool {
	return before.UID == after.UID && maps.Equal(before.Labels, after.Labels) && IsHealthy(before) == IsHealthy(after) &&
		(before.DeletionTimestamp == nil) == (after.DeletionTimestamp == nil) && controllerOf(before) == controllerOf(after)
}

func controllerOf(pod *corev1.Pod) types.UID {
	if controller := metav1.GetControllerOfNoCopy(pod); controller != nil {
		return controller.UID
	}
	return ""
}
