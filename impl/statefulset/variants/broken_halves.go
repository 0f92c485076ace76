package variants

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenHalves are right as long as every update comes to its end before anything else changes.
func brokenHalves() []Variant {
	return []Variant{
		{Name: "set-counts-pods-that-are-too-many-as-updated",
			Says:   "Says that a StatefulSet's revision is current when as many pods are of it as are asked for, counting those that a smaller number of replicas leaves over.",
			Breaks: []string{"INPLACE-034"}, Planner: doing(countAll)},
		{Name: "set-compares-with-the-current-revision",
			Says:   "Decides by the revision that was in force before an update, not by the pod's own, whether a pod of a StatefulSet can be patched.",
			Breaks: []string{"INPLACE-032"}, Planner: doing(compareWithCurrent)},
		{Name: "set-keeps-no-revision-for-pods",
			Says:   "Keeps the revisions of a StatefulSet that its status speaks of, and of the others no more than the limit, also of those that there are pods of.",
			Breaks: []string{"INPLACE-031"}, Planner: doing(trimUsed)},
		{Name: "set-counts-pods-that-are-too-many-as-available",
			Says:   "Counts Ready pods as available that a smaller number of replicas leaves over, patched or not.",
			Breaks: []string{"INPLACE-033"}, Planner: doing(countSurplus)},
	}
}

// countSurplus counts as available what is Ready and has to go.
func countSurplus(actions *plan.Actions, state plan.State, now time.Time) {
	if actions.Err != nil || state.Set.DeletionTimestamp != nil {
		return
	}
	status := actions.Status
	if status == nil {
		status = state.Set.Status.DeepCopy()
	}
	for _, pod := range unavailable(state, now) {
		if ordinalOf(pod) >= int(replicas(state.Set)) && daemons.IsReady(pod) {
			status.AvailableReplicas++
		}
	}
	actions.Status = status
	if apiequality.Semantic.DeepEqual(*status, state.Set.Status) {
		actions.Status = nil
	}
}

// trimUsed deletes the oldest revisions that the status does not speak of, as far as they are more than the limit.
func trimUsed(actions *plan.Actions, state plan.State, _ time.Time) {
	limit := state.Set.Spec.RevisionHistoryLimit
	if actions.Err != nil || limit == nil || state.Set.DeletionTimestamp != nil {
		return
	}
	status := actions.Status
	if status == nil {
		status = &state.Set.Status
	}
	others := slices.DeleteFunc(slices.Clone(state.Revisions), func(revision *appsv1.ControllerRevision) bool {
		return revision.Name == status.CurrentRevision || revision.Name == status.UpdateRevision
	})
	slices.SortFunc(others, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	actions.DeleteRevisions = others[:max(0, len(others)-int(*limit))]
}

// countAll makes the revision of the update the current one as soon as there are enough pods of it, whatever their ordinals.
func countAll(actions *plan.Actions, state plan.State, _ time.Time) {
	if actions.Err != nil || state.Set.DeletionTimestamp != nil {
		return
	}
	status := actions.Status
	if status == nil {
		status = state.Set.Status.DeepCopy()
	}
	wanted := replicas(state.Set)
	if status.UpdatedReplicas < wanted || status.AvailableReplicas < wanted || status.CurrentRevision == status.UpdateRevision {
		return
	}
	status.CurrentRevision, status.CurrentReplicas = status.UpdateRevision, status.UpdatedReplicas
	actions.Status = status
}

// compareWithCurrent patches the pods that are due if nothing but images changed since the revision that the status calls the current one, and deletes them
// if not.
func compareWithCurrent(actions *plan.Actions, state plan.State, now time.Time) {
	if actions.Err != nil || !inplace.Wanted(state.Set) {
		return
	}
	update := state.Set.Status.UpdateRevision
	if actions.Status != nil {
		update = actions.Status.UpdateRevision
	}
	var current *corev1.PodTemplateSpec
	for _, revision := range state.Revisions {
		if revision.Name == state.Set.Status.CurrentRevision {
			current = daemons.StoredTemplate(revision)
		}
	}
	var updates []plan.PodUpdate
	if !inplace.OnlyImagesDiffer(current, &state.Set.Spec.Template) {
		for _, each := range actions.UpdatePods {
			actions.DeletePods = append(actions.DeletePods, each.Pod)
		}
		actions.UpdatePods = updates
		return
	}
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), func(pod *corev1.Pod) bool {
		if !inplace.Runs(pod) || isTooMany(state.Set, pod) {
			return false
		}
		updates = append(updates, patchTo(state, pod, update, now))
		return true
	})
	actions.UpdatePods = append(actions.UpdatePods, updates...)
}

// replicas is how many pods the StatefulSet asks for.
func replicas(set *appsv1.StatefulSet) int32 {
	if set.Spec.Replicas == nil {
		return 1
	}
	return *set.Spec.Replicas
}

// isTooMany reports whether the pod's ordinal is none of those that the StatefulSet asks for.
func isTooMany(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	start := 0
	if set.Spec.Ordinals != nil {
		start = int(set.Spec.Ordinals.Start)
	}
	return ordinalOf(pod) < start || ordinalOf(pod) >= start+int(replicas(set))
}
