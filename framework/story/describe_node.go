package story

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func nodeChanges(before, after *corev1.Node) []string {
	var changes []string
	switch {
	case !before.Spec.Unschedulable && after.Spec.Unschedulable:
		changes = append(changes, "was cordoned")
	case before.Spec.Unschedulable && !after.Spec.Unschedulable:
		changes = append(changes, "was uncordoned")
	}
	for _, taint := range after.Spec.Taints {
		if !hasTaint(before, taint) {
			changes = append(changes, "got taint "+taint.ToString())
		}
	}
	for _, taint := range before.Spec.Taints {
		if !hasTaint(after, taint) {
			changes = append(changes, "lost taint "+taint.ToString())
		}
	}
	switch was, is := history.NodeReady(before), history.NodeReady(after); {
	case !was && is:
		changes = append(changes, "became Ready")
	case was && !is:
		changes = append(changes, "became unready")
	}
	return changes
}

func hasTaint(node *corev1.Node, taint corev1.Taint) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(other corev1.Taint) bool {
		return other.Key == taint.Key && other.Value == taint.Value && other.Effect == taint.Effect
	})
}
