package story

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// unitedOf is what a UnitedDaemonSet asks for, for example "DaemonSet agent, different on edge (node-1, node-2), gpu (by labels)".
func unitedOf(united *history.UnitedDaemonSet) string {
	text := united.Spec.TargetRef.Kind + " " + united.Spec.TargetRef.Name
	var subsets []string
	for _, subset := range united.Spec.Subsets {
		where := "by labels"
		if len(subset.Selector.Names) > 0 {
			where = firstOf(subset.Selector.Names)
		}
		subsets = append(subsets, fmt.Sprintf("%s (%s)", subset.Name, where))
	}
	if len(subsets) == 0 {
		return text + ", different nowhere"
	}
	return text + ", different on " + strings.Join(subsets, ", ")
}

func unitedChanges(before, after *history.UnitedDaemonSet) []string {
	var changes []string
	if from, to := unitedOf(before), unitedOf(after); from != to {
		changes = append(changes, from+" -> "+to)
	} else if !reflect.DeepEqual(before.Spec, after.Spec) {
		changes = append(changes, "its subsets' selectors or patches changed")
	}
	numbers := numberChanges([]number{{"observedGeneration", before.Status.ObservedGeneration, after.Status.ObservedGeneration}})
	for _, now := range after.Status.SubsetStatuses {
		was := history.UnitedSubsetStatus{}
		for _, other := range before.Status.SubsetStatuses {
			if other.Name == now.Name {
				was = other
			}
		}
		numbers = append(numbers, numberChanges([]number{
			{now.Name + " desired", int64(was.DesiredNumberScheduled), int64(now.DesiredNumberScheduled)},
			{now.Name + " misscheduled", int64(was.NumberMisscheduled), int64(now.NumberMisscheduled)},
		})...)
	}
	for _, condition := range after.Status.Conditions {
		if !hasCondition(before.Status.Conditions, condition) {
			numbers = append(numbers, fmt.Sprintf("%s %s (%s): %s", condition.Type, condition.Status, condition.Reason, condition.Message))
		}
	}
	if len(numbers) > 0 {
		changes = append(changes, "status says "+strings.Join(numbers, ", "))
	}
	return changes
}

func hasCondition(all []metav1.Condition, wanted metav1.Condition) bool {
	for _, condition := range all {
		if condition.Type == wanted.Type && condition.Status == wanted.Status && condition.Reason == wanted.Reason && condition.Message == wanted.Message {
			return true
		}
	}
	return false
}

// familyInWords is a UnitedDaemonSet with what its status says of each subset.
func familyInWords(united *history.UnitedDaemonSet) string {
	text := fmt.Sprintf("UnitedDaemonSet %s: %s; status:", united.Name, unitedOf(united))
	if len(united.Status.SubsetStatuses) == 0 {
		return text + " of no subset"
	}
	for i, subset := range united.Status.SubsetStatuses {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s desired %d, misscheduled %d", subset.Name, subset.DesiredNumberScheduled, subset.NumberMisscheduled)
	}
	return text
}
