package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenParts leave a part of the template out of pods.
func brokenParts() []Variant {
	return []Variant{
		{Name: "writes-the-affinity-anew", Says: "Leaves out of pods what the template says of other pods on the node: it has nothing but its own node affinity.",
			Breaks: []string{"API-023"},
			Planner: changeCreated(func(pod *corev1.Pod) {
				if pod.Spec.Affinity != nil {
					pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: pod.Spec.Affinity.NodeAffinity}
				}
			})},
		{Name: "writes-the-tolerations-anew", Says: "Leaves out of pods the template's tolerations of taints that no node has: it has nothing but its own.",
			Breaks: []string{"API-023"},
			Planner: changeCreated(func(pod *corev1.Pod) {
				pod.Spec.Tolerations = slices.DeleteFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == "example.org/part" })
			})},
		{Name: "knows-no-host-aliases", Says: "Copies the parts of the template that it knows, and not its host aliases.",
			Breaks: []string{"API-023"}, Planner: changeCreated(func(pod *corev1.Pod) { pod.Spec.HostAliases = nil })},
		{Name: "compares-pods-with-the-template", Says: "Takes a pod for outdated that has more containers than the template, whatever its revision label says.",
			Breaks: []string{"HISTORY-024"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				more := func(pod *corev1.Pod) bool {
					return len(pod.Spec.Containers) > len(state.DaemonSet.Spec.Template.Spec.Containers)
				}
				changePods(state, more, func(pod *corev1.Pod) {
					delete(pod.Labels, plan.HashLabel)
					delete(pod.Labels, plan.GenerationLabel)
				})
			})},
	}
}

// changeCreated changes the pods that are created.
func changeCreated(change func(*corev1.Pod)) Around {
	return doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
		for i := range actions.CreatePods {
			creation := &actions.CreatePods[i]
			creation.Pod = creation.Pod.DeepCopy()
			change(creation.Pod)
		}
	})
}
