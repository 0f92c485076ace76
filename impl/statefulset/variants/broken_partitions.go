package variants

import (
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenPartitions are right as long as nothing but the template changes, and no pod is lost, while an update is under way.
func brokenPartitions() []Variant {
	return []Variant{
		{Name: "set-recreates-updated-below-the-partition", Says: "Creates a lost pod of a StatefulSet from the new template, whatever the partition.",
			Breaks: []string{"INPLACE-018"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for i, pod := range actions.CreatePods {
					if pod.Labels[plan.RevisionLabel] == state.Set.Status.UpdateRevision || state.Set.Status.UpdateRevision == "" {
						continue
					}
					pod = pod.DeepCopy()
					pod.Labels[plan.RevisionLabel] = state.Set.Status.UpdateRevision
					for name, image := range inplace.Images(pod, nil, &state.Set.Spec.Template) {
						c := slices.IndexFunc(pod.Spec.Containers, func(container corev1.Container) bool { return container.Name == name })
						pod.Spec.Containers[c].Image = image
					}
					actions.CreatePods[i] = pod
				}
			})},
		{Name: "set-keeps-the-partition-of-the-update", Says: "Goes by the partition that a StatefulSet had when its template was changed.", Breaks: []string{"INPLACE-018"},
			Planner: atTheUpdate(func(first, set *appsv1.StatefulSet) { set.Spec.UpdateStrategy = *first.Spec.UpdateStrategy.DeepCopy() })},
		{Name: "set-keeps-the-policy-of-the-update", Says: "Goes by the policy that a StatefulSet had when its template was changed.", Breaks: []string{"INPLACE-032"},
			Planner: atTheUpdate(func(first, set *appsv1.StatefulSet) {
				policy, has := first.Annotations[inplace.Policy]
				if !has {
					delete(set.Annotations, inplace.Policy)
					return
				}
				if set.Annotations == nil {
					set.Annotations = map[string]string{}
				}
				set.Annotations[inplace.Policy] = policy
			})},
		{Name: "set-keeps-min-ready-seconds-of-the-update", Says: "Goes by the minReadySeconds that a StatefulSet had when its template was changed.",
			Breaks:  []string{"INPLACE-033"},
			Planner: atTheUpdate(func(first, set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = first.Spec.MinReadySeconds })},
		{Name: "set-clamps-the-partition", Says: "Takes a partition above the last ordinal of a StatefulSet for the last ordinal.", Breaks: []string{"INPLACE-018"},
			Planner: seeingSet(func(set *appsv1.StatefulSet) {
				if last := lastOrdinal(set); partition(set) > last {
					set.Spec.UpdateStrategy.RollingUpdate.Partition = ptr.To(int32(last))
				}
			})},
		{Name: "set-updates-parallel-pods-at-once", Says: "Updates all pods in place of a StatefulSet whose pods are managed in parallel.", Breaks: []string{"INPLACE-033"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if len(actions.UpdatePods) == 0 || state.Set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
					return
				}
				first := actions.UpdatePods[0]
				for _, pod := range state.Pods {
					revision := first.Labels[plan.RevisionLabel]
					if pod.UID != first.Pod.UID && pod.Labels[plan.RevisionLabel] != revision && ordinalOf(pod) >= partition(state.Set) && inplace.Runs(pod) {
						actions.UpdatePods = append(actions.UpdatePods, patchTo(state, pod, revision, now))
					}
				}
			})},
	}
}

// atTheUpdate has the planner see something of the StatefulSet as it was when its template was last seen to change.
func atTheUpdate(keep func(first, set *appsv1.StatefulSet)) Around {
	return func(next plan.Planner) plan.Planner {
		var mu sync.Mutex
		firsts := map[types.UID]*appsv1.StatefulSet{}
		return seeingSet(func(set *appsv1.StatefulSet) {
			mu.Lock()
			defer mu.Unlock()
			first := firsts[set.UID]
			if first == nil || !apiequality.Semantic.DeepEqual(first.Spec.Template, set.Spec.Template) {
				firsts[set.UID] = set.DeepCopy()
				return
			}
			keep(first, set)
		})(next)
	}
}
