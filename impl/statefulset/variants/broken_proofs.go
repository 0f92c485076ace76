package variants

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenProofs believe too early that a patched pod is back.
func brokenProofs() []Variant {
	return []Variant{
		{Name: "set-believes-ready", Says: "Believes a patched pod of a StatefulSet that it is Ready.", Breaks: []string{"INPLACE-033"},
			Planner: forgetting(func(*corev1.Pod) bool { return true })},
		{Name: "set-believes-observed", Says: "Believes that a patched pod of a StatefulSet is back when its kubelet has seen the patch.", Breaks: []string{"INPLACE-033"},
			Planner: forgetting(func(pod *corev1.Pod) bool { return pod.Status.ObservedGeneration >= pod.Generation })},
		{Name: "set-counts-from-before-the-restart", Says: "Counts minReadySeconds of a StatefulSet's pod that stayed Ready from before its restart.",
			Breaks: []string{"INPLACE-033"}, Planner: forgetting(restarted)},
		{Name: "set-takes-any-new-container", Says: "Takes a container of a StatefulSet's pod that comes late for an earlier patch for that of the latest.",
			Breaks: []string{"INPLACE-033"}, Planner: instances(func(instance map[string]any) { delete(instance, "skipped") })},
		{Name: "set-takes-one-restart-for-all", Says: "Takes a pod of a StatefulSet for restarted when one of the containers that are to be has been.",
			Breaks: []string{"INPLACE-033"}, Planner: forgetting(restartedInPart)},
		{Name: "set-believes-pods-without-the-policy", Says: "Believes patched pods of a StatefulSet that they are Ready once its policy is another one.",
			Breaks: []string{"INPLACE-033"},
			Planner: func(next plan.Planner) plan.Planner {
				believing := forgetting(func(*corev1.Pod) bool { return true })(next)
				return func(state plan.State, now time.Time) plan.Actions {
					if inplace.Wanted(state.Set) {
						return next(state, now)
					}
					return believing(state, now)
				}
			}},
		{Name: "set-waits-for-a-restart-that-is-not-due", Says: "Waits for the restart of a container of a StatefulSet's pod that runs already what it is to run.",
			Breaks: []string{"INPLACE-018"}, Planner: instances(func(instance map[string]any) { delete(instance, "image"); delete(instance, "maybe") })},
		{Name: "set-forgets-in-a-crash", Says: "Forgets when it ends which pods of StatefulSets it has patched.", Breaks: []string{"INPLACE-036"}, Planner: own},
	}
}

// restarted reports whether the node runs what the pod asks for.
func restarted(pod *corev1.Pod) bool {
	for i, status := range pod.Status.ContainerStatuses {
		if i >= len(pod.Spec.Containers) || status.Image != pod.Spec.Containers[i].Image || status.State.Running == nil {
			return false
		}
	}
	return true
}

// restartedInPart reports whether the kubelet has seen the patch, and a container of the pod runs what the pod asks for, of several.
func restartedInPart(pod *corev1.Pod) bool {
	if len(pod.Spec.Containers) < 2 || pod.Status.ObservedGeneration < pod.Generation {
		return false
	}
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
		return status.State.Running != nil && slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
			return container.Name == status.Name && container.Image == status.Image
		})
	})
}

// own knows of updates by this process only.
func own(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	patched := map[types.UID]bool{}
	known := forgetting(func(pod *corev1.Pod) bool { return !patched[pod.UID] })(next)
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		actions := known(state, now)
		for _, update := range actions.UpdatePods {
			patched[update.Pod.UID] = true
		}
		return actions
	}
}

// instances has the planner see other records of updates in place: change is applied to what they say of each container.
func instances(change func(map[string]any)) Around {
	return seeing(func(state *plan.State) {
		pods := make([]*corev1.Pod, len(state.Pods))
		for i, pod := range state.Pods {
			pods[i] = pod
			var record map[string]any
			if json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record) != nil {
				continue
			}
			containers, _ := record["containers"].(map[string]any)
			for _, instance := range containers {
				if is, ok := instance.(map[string]any); ok {
					change(is)
				}
			}
			// It can be encoded as it was decoded.
			encoded, _ := json.Marshal(record)
			pods[i] = pod.DeepCopy()
			pods[i].Annotations[inplace.Record] = string(encoded)
		}
		state.Pods = pods
	})
}
