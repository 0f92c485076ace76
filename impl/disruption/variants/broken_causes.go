package variants

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenCauses hold on to a failure or to its cause, or see one where there is none, or nothing to look at.
func brokenCauses() []Variant {
	return []Variant{
		{Name: "leaves-a-failure-in-its-condition", Says: "Leaves the condition of a budget that could not be computed as it is where the budget allows nothing after that either.",
			Breaks: []string{"PDB-017"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
				before, after := allowed(&state.Budget.Status), allowed(status)
				if before == nil || after == nil || before.Reason != policyv1.SyncFailedReason || before.Status != after.Status {
					return
				}
				after.Reason, after.Message = before.Reason, before.Message
			})},
		{Name: "says-the-first-cause", Says: "Says of a budget that cannot be computed why it could not at first.", Breaks: []string{"PDB-021"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
				if stored := &state.Budget.Status; failed(stored) && failed(status) {
					allowed(status).Message = allowed(stored).Message
				}
			})},
		{Name: "tells-kinds-by-their-names", Says: "Takes a custom resource whose kind is named like that of a workload for such a workload, which it does not find.", Breaks: []string{"PDB-008"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				mistaken := map[types.UID]bool{}
				for _, pod := range selected(*state) {
					if reference := metav1.GetControllerOfNoCopy(pod); reference != nil && namedLikeAWorkload(reference) {
						mistaken[reference.UID] = true
					}
				}
				changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
					if mistaken[reference] {
						return plan.Controller{UID: reference, Gone: true}
					}
					return c
				})
			})},
		{Name: "hears-of-no-pods-without-labels", Says: "Does not look when a pod changes that has no label.", Breaks: []string{"PDBAPI-009"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				if unlabelled(before) && unlabelled(after) {
					return nil
				}
				return plan.Concerned(budgets, before, after)
			}},
	}
}

// namedLikeAWorkload reports whether the reference is to a kind of another group that is named like one of Kubernetes' workloads with a scale.
func namedLikeAWorkload(reference *metav1.OwnerReference) bool {
	kind := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind)
	return strings.Contains(kind.Group, ".") && slices.Contains([]string{"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}, kind.Kind)
}

// unlabelled reports whether the pod has no label. One that is not there has none.
func unlabelled(pod *corev1.Pod) bool { return pod == nil || len(pod.Labels) == 0 }
