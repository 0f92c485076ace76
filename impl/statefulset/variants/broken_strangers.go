package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenStrangers are of an author who knows the documents and the reference alone: each is right as long as nobody edits the StatefulSet at the last moment.
func brokenStrangers() []Variant {
	return []Variant{
		{Name: "set-is-current-without-a-partition-only",
			Says:   "Says that a StatefulSet's revision is current, when all pods are of it, only once the partition is above no pod.",
			Breaks: []string{"INPLACE-034"}, Planner: doing(completeWithoutPartition)},
		{Name: "set-believes-patched-pods-that-are-too-many",
			Says:   "Takes a patched pod of a StatefulSet for as Ready as its condition says once a smaller number of replicas leaves it over.",
			Breaks: []string{"INPLACE-033"}, Planner: seeing(forgetTooMany)},
	}
}

// completeWithoutPartition keeps the current revision as long as the partition is above a pod: then an update is not meant to come to its end.
func completeWithoutPartition(actions *plan.Actions, state plan.State, _ time.Time) {
	set, before := state.Set, state.Set.Status.CurrentRevision
	status := actions.Status
	if actions.Err != nil || status == nil || status.CurrentRevision != status.UpdateRevision || before == "" || before == status.UpdateRevision {
		return
	}
	// Of what is not there any more nobody can say that it is current.
	there := slices.ContainsFunc(state.Revisions, func(revision *appsv1.ControllerRevision) bool { return revision.Name == before })
	if !there || replicas(set) == 0 || set.Spec.UpdateStrategy.Type != appsv1.RollingUpdateStatefulSetStrategyType || partition(set) <= firstOrdinal(set) {
		return
	}
	status = status.DeepCopy()
	status.CurrentRevision, status.CurrentReplicas = before, 0
	for _, pod := range state.Pods {
		if pod.DeletionTimestamp == nil && pod.Labels[plan.RevisionLabel] == before {
			status.CurrentReplicas++
		}
	}
	if actions.Status = status; apiequality.Semantic.DeepEqual(*status, set.Status) {
		actions.Status = nil
	}
}

// firstOrdinal is the smallest that the StatefulSet asks for.
func firstOrdinal(set *appsv1.StatefulSet) int { return lastOrdinal(set) - int(replicas(set)) + 1 }

// forgetTooMany takes the record of their update from pods that the StatefulSet does not ask for any more: nothing is decided by them.
func forgetTooMany(state *plan.State) {
	set := state.Set
	tooMany := func(pod *corev1.Pod) bool {
		_, patched := pod.Annotations[inplace.Record]
		return patched && isTooMany(set, pod)
	}
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if tooMany(pod) {
			state.Pods[i] = pod.DeepCopy()
			delete(state.Pods[i].Annotations, inplace.Record)
		}
	}
}
