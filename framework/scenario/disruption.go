package scenario

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Disrupt gives the pod the condition DisruptionTarget, as the scheduler does that is about to preempt it, with the transition time, or without one if it is
// zero. Resolution: one second.
func (s *Scenario) Disrupt(ctx context.Context, pod *corev1.Pod, since time.Time) {
	s.tb.Helper()
	condition := corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
		Message: "set by rollcall", LastTransitionTime: metav1.NewTime(since),
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.PodCondition{condition}}})
	s.must(err, "encode the condition of pod %s", pod.Name)
	err = s.Do(ctx, onPod(history.SetDisruption, pod), func(ctx context.Context) error {
		_, err := s.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
	s.must(err, "set the condition DisruptionTarget of pod %s", pod.Name)
}

// ListDisrupted lists the pod in a budget's status as one whose eviction was accepted at that time. Resolution: one second.
func ListDisrupted(pod string, since time.Time) BudgetEdit {
	return BudgetEdit{"pod " + pod + " listed as disrupted since " + since.UTC().Format(time.TimeOnly), func(budget *policyv1.PodDisruptionBudget) {
		listed := map[string]metav1.Time{pod: metav1.NewTime(since)}
		for name, other := range budget.Status.DisruptedPods {
			listed[name] = other
		}
		budget.Status.DisruptedPods = listed
	}}
}

// AddCondition adds a condition of the type to a budget's status.
func AddCondition(conditionType string) BudgetEdit {
	return BudgetEdit{"condition " + conditionType, func(budget *policyv1.PodDisruptionBudget) {
		budget.Status.Conditions = append(budget.Status.Conditions, foreignCondition(budget, conditionType))
	}}
}

// FirstCondition is AddCondition of one that is the first in the list.
func FirstCondition(conditionType string) BudgetEdit {
	return BudgetEdit{"first condition " + conditionType, func(budget *policyv1.PodDisruptionBudget) {
		budget.Status.Conditions = slices.Insert(budget.Status.Conditions, 0, foreignCondition(budget, conditionType))
	}}
}

// foreignCondition says, as conditions do, which generation of the budget it is of.
func foreignCondition(budget *policyv1.PodDisruptionBudget, conditionType string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: metav1.ConditionTrue, Reason: "Test", Message: "set by rollcall",
		ObservedGeneration: budget.Generation, LastTransitionTime: metav1.Now(),
	}
}
