package variants

import (
	"cmp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
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
		{Name: "set-takes-the-partition-for-an-index", Says: "Counts the partition from a StatefulSet's first ordinal, whatever that is.", Breaks: []string{"INPLACE-018"},
			Planner: seeingSet(func(set *appsv1.StatefulSet) {
				if rolling := set.Spec.UpdateStrategy.RollingUpdate; set.Spec.Ordinals != nil && rolling != nil && rolling.Partition != nil {
					*rolling.Partition += set.Spec.Ordinals.Start
				}
			})},
		{Name: "set-repairs-first", Says: "Updates an old pod of a StatefulSet that is not available before those with larger ordinals.", Breaks: []string{"INPLACE-018"},
			Planner: doing(repairFirst)},
		{Name: "set-takes-back-below-the-partition", Says: "Takes updated pods of a StatefulSet back whose ordinals a new partition is above.", Breaks: []string{"INPLACE-018"},
			Planner: doing(takeBack)},
		{Name: "set-asks-the-next-pod-only", Says: "Updates a pod of a StatefulSet when the next one above it is available, whatever those above that are.",
			Breaks: []string{"INPLACE-033"}, Planner: askNextOnly},
		{Name: "set-is-current-from-the-partition-on", Says: "Says that a StatefulSet's revision is current when all pods from the partition on are of it.",
			Breaks: []string{"INPLACE-034"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				status := actions.Status
				if status == nil {
					status = state.Set.Status.DeepCopy()
				}
				for _, pod := range state.Pods {
					if ordinalOf(pod) >= partition(state.Set) && pod.Labels[plan.RevisionLabel] != status.UpdateRevision {
						return
					}
				}
				if len(unavailable(state, now)) == 0 && status.CurrentRevision != status.UpdateRevision {
					status.CurrentRevision, actions.Status = status.UpdateRevision, status
				}
			})},
	}
}

// repairFirst updates the unavailable old pod with the largest ordinal instead of the pod that is due.
func repairFirst(actions *plan.Actions, state plan.State, now time.Time) {
	for i, update := range actions.UpdatePods {
		revision := update.Labels[plan.RevisionLabel]
		broken := slices.DeleteFunc(unavailable(state, now), func(pod *corev1.Pod) bool {
			return pod.Labels[plan.RevisionLabel] == revision || ordinalOf(pod) < partition(state.Set) || pod.DeletionTimestamp != nil
		})
		if len(broken) > 0 {
			last := slices.MaxFunc(broken, func(a, b *corev1.Pod) int { return cmp.Compare(ordinalOf(a), ordinalOf(b)) })
			actions.UpdatePods[i] = patchTo(state, last, revision, now)
		}
	}
}

// takeBack patches pods below the partition to the images of the revision that is in force there.
func takeBack(actions *plan.Actions, state plan.State, now time.Time) {
	current := state.Set.Status.CurrentRevision
	var template *corev1.PodTemplateSpec
	for _, revision := range state.Revisions {
		if revision.Name == current {
			template = daemons.StoredTemplate(revision)
		}
	}
	if !inplace.Wanted(state.Set) || template == nil {
		return
	}
	back := state
	back.Set = state.Set.DeepCopy()
	back.Set.Spec.Template = *template
	for _, pod := range state.Pods {
		if ordinalOf(pod) < partition(state.Set) && pod.Labels[plan.RevisionLabel] != current && inplace.Runs(pod) {
			actions.UpdatePods = append(actions.UpdatePods, patchTo(back, pod, current, now))
		}
	}
}

// askNextOnly updates pods as if all updated ones were available but the one with the smallest ordinal.
func askNextOnly(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		smallest := -1
		for _, pod := range state.Pods {
			if ordinal := ordinalOf(pod); pod.Labels[plan.RevisionLabel] == state.Set.Status.UpdateRevision && (smallest < 0 || ordinal < smallest) {
				smallest = ordinal
			}
		}
		pods := slices.Clone(state.Pods)
		for i, pod := range pods {
			if pod.Labels[plan.RevisionLabel] == state.Set.Status.UpdateRevision && ordinalOf(pod) != smallest && inplace.Runs(pod) {
				pods[i] = pod.DeepCopy()
				delete(pods[i].Annotations, inplace.Record)
				makeReady(pods[i], now.Add(-time.Hour))
			}
		}
		state.Pods = pods
		actions.UpdatePods = next(state, now).UpdatePods
		return actions
	}
}
