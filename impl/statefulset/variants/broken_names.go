package variants

import (
	"cmp"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenNames are right while names sort like ordinals, each name has one pod, and nobody else deletes a pod.
func brokenNames() []Variant {
	return []Variant{
		{Name: "set-orders-by-name", Says: "Updates the pods of a StatefulSet in reverse alphabetical order of their names, 9 before 10.",
			Breaks: []string{"INPLACE-018"}, Planner: doing(lastNameFirst)},
		{Name: "set-knows-patched-pods-by-name", Says: "Waits for the restart of a patched pod of a StatefulSet although another pod has its name by now.",
			Breaks: []string{"INPLACE-033"}, Planner: waitByName},
		{Name: "set-takes-no-notice-of-pods-that-go", Says: "Updates a pod of a StatefulSet while an updated one is terminating.", Breaks: []string{"INPLACE-033"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					state.Pods = slices.Clone(state.Pods)
					for i, pod := range state.Pods {
						if pod.DeletionTimestamp != nil && pod.Labels[plan.RevisionLabel] == state.Set.Status.UpdateRevision {
							state.Pods[i] = pod.DeepCopy()
							state.Pods[i].DeletionTimestamp = nil
							delete(state.Pods[i].Annotations, inplace.Record)
							makeReady(state.Pods[i], now.Add(-time.Hour))
						}
					}
					actions.UpdatePods = next(state, now).UpdatePods
					return actions
				}
			}},
	}
}

// lastNameFirst updates, in the place of the pod that is due, the old one with the last name.
func lastNameFirst(actions *plan.Actions, state plan.State, now time.Time) {
	for i, update := range actions.UpdatePods {
		revision := update.Labels[plan.RevisionLabel]
		old := slices.DeleteFunc(slices.Clone(state.Pods), func(pod *corev1.Pod) bool {
			return pod.Labels[plan.RevisionLabel] == revision || ordinalOf(pod) < partition(state.Set) || pod.DeletionTimestamp != nil
		})
		if len(old) > 0 {
			last := slices.MaxFunc(old, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
			actions.UpdatePods[i] = patchTo(state, last, revision, now)
		}
	}
}

func waitByName(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	patched := map[types.UID]map[string]types.UID{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		known := patched[state.Set.UID]
		if known == nil {
			known = map[string]types.UID{}
			patched[state.Set.UID] = known
		}
		state.Pods = slices.Clone(state.Pods)
		for i, pod := range state.Pods {
			if first, is := known[pod.Name]; is && first != pod.UID && !slices.ContainsFunc(pod.Status.ContainerStatuses, hasRestarted) {
				state.Pods[i] = pod.DeepCopy()
				makeUnready(state.Pods[i])
			}
		}
		actions := next(state, now)
		for _, update := range actions.UpdatePods {
			known[update.Pod.Name] = update.Pod.UID
		}
		return actions
	}
}

func hasRestarted(status corev1.ContainerStatus) bool { return status.RestartCount > 0 }

func makeUnready(pod *corev1.Pod) {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady {
			condition.Status = corev1.ConditionFalse
		}
	}
}
