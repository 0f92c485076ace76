package variants

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenOrders update other pods than are due.
func brokenOrders() []Variant {
	return []Variant{
		{Name: "set-ignores-the-partition", Says: "Updates all pods of a StatefulSet, whatever its partition.", Breaks: []string{"INPLACE-018"},
			Planner: seeingSet(func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy.RollingUpdate = nil })},
		{Name: "set-updates-the-smallest-first", Says: "Updates the old pod of a StatefulSet with the smallest ordinal first.", Breaks: []string{"INPLACE-018"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				for i, update := range actions.UpdatePods {
					revision := update.Labels[plan.RevisionLabel]
					before := slices.DeleteFunc(slices.Clone(state.Pods), func(pod *corev1.Pod) bool {
						return pod.Labels[plan.RevisionLabel] == revision || pod.DeletionTimestamp != nil
					})
					smallest := slices.MinFunc(before, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
					actions.UpdatePods[i] = patchTo(state, smallest, revision, now)
				}
			})},
		{Name: "set-waits-for-what-does-not-start", Says: "Updates no pod of a StatefulSet in order while another one is not available.",
			Breaks: []string{"INPLACE-035"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if state.Set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement && len(unavailable(state, now)) > 0 {
					actions.UpdatePods = nil
				}
			})},
	}
}
