package story

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// strategyOf is what a DaemonSet promises, in a few words.
func strategyOf(daemonSet *appsv1.DaemonSet) string {
	strategy := daemonSet.Spec.UpdateStrategy
	text := string(strategy.Type)
	if text == "" {
		text = string(appsv1.RollingUpdateDaemonSetStrategyType)
	}
	if rolling := strategy.RollingUpdate; rolling != nil {
		text += fmt.Sprintf(", maxSurge %s, maxUnavailable %s", limit(rolling.MaxSurge), limit(rolling.MaxUnavailable))
	}
	if seconds := daemonSet.Spec.MinReadySeconds; seconds > 0 {
		text += fmt.Sprintf(", minReadySeconds %d", seconds)
	}
	return text
}

func limit(value *intstr.IntOrString) string {
	if value == nil {
		return "unset"
	}
	return value.String()
}

func daemonSetSpecChanges(before, after *appsv1.DaemonSet) []string {
	var changes []string
	if !history.SameTemplate(&before.Spec.Template, &after.Spec.Template) {
		changes = append(changes, "template changed"+imageChanges(before, after))
	}
	if from, to := strategyOf(before), strategyOf(after); from != to {
		changes = append(changes, "strategy "+from+" -> "+to)
	}
	if !equality.Semantic.DeepEqual(before.Spec.Selector, after.Spec.Selector) {
		changes = append(changes, "selector changed")
	}
	return changes
}

func imageChanges(before, after *appsv1.DaemonSet) string {
	var images []string
	from, to := before.Spec.Template.Spec.Containers, after.Spec.Template.Spec.Containers
	for i := range min(len(from), len(to)) {
		if from[i].Image != to[i].Image {
			images = append(images, from[i].Image+" -> "+to[i].Image)
		}
	}
	if len(images) == 0 {
		return ""
	}
	return " (image " + strings.Join(images, ", ") + ")"
}

func daemonSetStatusChanges(before, after *appsv1.DaemonSet) []string {
	from, to := before.Status, after.Status
	changes := numberChanges([]number{
		{"observedGeneration", from.ObservedGeneration, to.ObservedGeneration},
		{"desired", int64(from.DesiredNumberScheduled), int64(to.DesiredNumberScheduled)},
		{"current", int64(from.CurrentNumberScheduled), int64(to.CurrentNumberScheduled)},
		{"updated", int64(from.UpdatedNumberScheduled), int64(to.UpdatedNumberScheduled)},
		{"ready", int64(from.NumberReady), int64(to.NumberReady)},
		{"available", int64(from.NumberAvailable), int64(to.NumberAvailable)},
		{"unavailable", int64(from.NumberUnavailable), int64(to.NumberUnavailable)},
		{"misscheduled", int64(from.NumberMisscheduled), int64(to.NumberMisscheduled)},
		{"collisionCount", int64(ptr.Deref(from.CollisionCount, 0)), int64(ptr.Deref(to.CollisionCount, 0))},
	})
	if !equality.Semantic.DeepEqual(from.Conditions, to.Conditions) {
		changes = append(changes, "conditions changed")
	}
	if len(changes) == 0 {
		return nil
	}
	return []string{"status says " + strings.Join(changes, ", ")}
}

func budgetOf(budget *policyv1.PodDisruptionBudget) string {
	if budget.Spec.MinAvailable != nil {
		return "minAvailable " + limit(budget.Spec.MinAvailable)
	}
	return "maxUnavailable " + limit(budget.Spec.MaxUnavailable)
}

func budgetChanges(before, after *policyv1.PodDisruptionBudget) []string {
	var changes []string
	if from, to := budgetOf(before), budgetOf(after); from != to {
		changes = append(changes, from+" -> "+to)
	}
	from, to := before.Status, after.Status
	numbers := numberChanges([]number{
		{"observedGeneration", from.ObservedGeneration, to.ObservedGeneration},
		{"disruptionsAllowed", int64(from.DisruptionsAllowed), int64(to.DisruptionsAllowed)},
		{"currentHealthy", int64(from.CurrentHealthy), int64(to.CurrentHealthy)},
		{"desiredHealthy", int64(from.DesiredHealthy), int64(to.DesiredHealthy)},
		{"expectedPods", int64(from.ExpectedPods), int64(to.ExpectedPods)},
		{"disruptedPods", int64(len(from.DisruptedPods)), int64(len(to.DisruptedPods))},
	})
	if from, to := disruptionAllowed(before), disruptionAllowed(after); from != to {
		numbers = append(numbers, "DisruptionAllowed "+to)
	}
	if len(numbers) > 0 {
		changes = append(changes, "status says "+strings.Join(numbers, ", "))
	}
	return changes
}

// disruptionAllowed is the condition that says whether the budget allows anything, with its reason and message.
func disruptionAllowed(budget *policyv1.PodDisruptionBudget) string {
	condition := meta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if condition == nil {
		return "unset"
	}
	return strings.TrimSuffix(fmt.Sprintf("%s (%s): %s", condition.Status, condition.Reason, condition.Message), ": ")
}

// replicaChanges is the change of the number of pods that a workload keeps.
func replicaChanges(before, after history.Object) []string {
	from, to := replicasOf(before), replicasOf(after)
	if from == nil || to == nil || *from == *to {
		return nil
	}
	return []string{fmt.Sprintf("replicas %d -> %d", *from, *to)}
}

func replicasOf(object history.Object) *int32 {
	switch object := object.(type) {
	case *appsv1.ReplicaSet:
		return object.Spec.Replicas
	case *appsv1.Deployment:
		return object.Spec.Replicas
	case *appsv1.StatefulSet:
		return object.Spec.Replicas
	case *corev1.ReplicationController:
		return object.Spec.Replicas
	}
	return nil
}

type number struct {
	name     string
	from, to int64
}

func numberChanges(numbers []number) []string {
	var changes []string
	for _, n := range numbers {
		if n.from != n.to {
			changes = append(changes, fmt.Sprintf("%s %d -> %d", n.name, n.from, n.to))
		}
	}
	return changes
}
