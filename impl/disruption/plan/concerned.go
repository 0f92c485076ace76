package plan

import (
	"maps"
	"slices"

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
	// A pod that keeps its name and labels is the same to every budget before and after.
	versions := []*corev1.Pod{after}
	if before != nil && (after == nil || !maps.Equal(before.Labels, after.Labels)) {
		versions = append(versions, before)
	}
	var concerned []*policyv1.PodDisruptionBudget
	for _, budget := range budgets {
		if concerns(budget, versions) {
			concerned = append(concerned, budget)
		}
	}
	return concerned
}

// concerns reports whether budget waits for one of the pods, or selects it. Pods that are nil are not there.
func concerns(budget *policyv1.PodDisruptionBudget, versions []*corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return slices.ContainsFunc(versions, func(pod *corev1.Pod) bool {
		if pod == nil {
			return false
		}
		_, waits := budget.Status.DisruptedPods[pod.Name]
		return waits || err == nil && selector.Matches(labels.Set(pod.Labels))
	})
}

// sameForBudgets spares most of the changes of a pod a look at every budget.
func sameForBudgets(before, after *corev1.Pod) bool {
	return before.UID == after.UID && maps.Equal(before.Labels, after.Labels) && IsHealthy(before) == IsHealthy(after) &&
		(before.DeletionTimestamp == nil) == (after.DeletionTimestamp == nil) && hasEnded(before) == hasEnded(after) && controllerOf(before) == controllerOf(after)
}

func controllerOf(pod *corev1.Pod) types.UID {
	if controller := metav1.GetControllerOfNoCopy(pod); controller != nil {
		return controller.UID
	}
	return ""
}
