package variants

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

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
