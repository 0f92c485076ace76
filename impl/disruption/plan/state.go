package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// State is everything that one pass knows about one budget. All of it is read-only for Plan.
type State struct {
	// Budget as it was read, with its status.
	Budget *policyv1.PodDisruptionBudget

	// Pods are pods of the budget's namespace, at least those that its selector selects. Plan selects among them.
	Pods []*corev1.Pod

	// Controllers says whose scale counts for a pod, by the UID in the pod's controller reference. It has the controllers of all selected pods if
	// NeedsScale(Budget); one that is missing counts as gone.
	Controllers map[types.UID]Controller
}

// Controller is what is known of the scale behind a pod.
type Controller struct {
	// UID is that of the object with the scale: of the Deployment, for a ReplicaSet that one controls.
	UID types.UID
	// Replicas is the scale that it should have.
	Replicas int32
	// Polled: nothing tells when Replicas changes.
	Polled bool
	// Gone: there is no such controller any more.
	Gone bool
	// Err says why the scale is not known; Replicas is nothing then. Default: it is known.
	Err error
	// Temporary: Err may be another one, or none, the next time.
	Temporary bool
}

// NeedsScale reports whether the budget is a share of a scale, or what is left of one, and not a mere number of healthy pods (PDB-019).
func NeedsScale(budget *policyv1.PodDisruptionBudget) bool {
	return budget.Spec.MaxUnavailable != nil || budget.Spec.MinAvailable != nil && budget.Spec.MinAvailable.Type == intstr.String
}

// Selected returns those of the pods that the budget selects. No selector selects none, an empty one all (PDBAPI-009, PDBAPI-010).
func Selected(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod) ([]*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("spec.selector: %w", err)
	}
	var selected []*corev1.Pod
	for _, pod := range pods {
		if pod.Namespace == budget.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			selected = append(selected, pod)
		}
	}
	return selected, nil
}
