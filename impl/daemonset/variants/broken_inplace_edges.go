package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchEdges are right about pods that nobody but the controller has changed.
func brokenPatchEdges() []Variant {
	return []Variant{
		{Name: "waits-for-the-very-generation", Says: "Waits for a kubelet to report the generation of the patch, and takes a later one for another.",
			Breaks: []string{"INPLACE-026"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				wanted := map[string]int64{}
				changeRecords(state, func(pod *corev1.Pod, record *updateRecord) bool {
					wanted[string(pod.UID)] = record.Generation
					return true
				})
				later := func(pod *corev1.Pod) bool {
					generation := wanted[string(pod.UID)]
					return generation > 1 && pod.Status.ObservedGeneration > generation && pod.Annotations[inplace.Proof] == ""
				}
				changePods(state, later, func(pod *corev1.Pod) { pod.Status.ObservedGeneration = wanted[string(pod.UID)] - 1 })
			})},
		{Name: "asks-containers-of-patched-pods", Says: "Takes a patched pod for Ready when its containers are, whatever its readiness gates say.",
			Breaks: []string{"INPLACE-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				gated := func(pod *corev1.Pod) bool {
					containers := condition(pod, corev1.ContainersReady)
					return pod.Annotations[inplace.Record] != "" && ready(pod) != nil && containers != nil && containers.Status == corev1.ConditionTrue
				}
				changePods(state, gated, func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionTrue })
			})},
		{Name: "patches-every-container-that-differs", Says: "Gives the template's image also to a container that admission gave another one, when the image of another container changes.",
			Breaks: []string{"INPLACE-016"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				actions.UpdatePods = slices.Clone(actions.UpdatePods)
				for i := range actions.UpdatePods {
					update := &actions.UpdatePods[i]
					update.Images = inplace.Images(update.Pod, nil, &state.DaemonSet.Spec.Template)
					// What is made of a pod and names can be encoded.
					record, _ := inplace.RecordOf(update.Pod, update.Images, now)
					update.Annotations = map[string]string{inplace.Record: record}
				}
			})},
		{Name: "takes-back-all-or-nothing", Says: "Waits for the restart of a container that was taken back when another one of the pod is to be restarted.", Breaks: []string{"INPLACE-030"},
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				changes := false
				wanted := map[string]string{}
				for _, container := range pod.Spec.Containers {
					wanted[container.Name] = container.Image
				}
				for name, is := range record.Containers {
					changes = changes || is.Image != wanted[name]
				}
				changeContainers(record, func(name string, is *updateInstance) {
					if changes && is.Image == wanted[name] {
						is.Image = ""
					}
				})
				return true
			})},
	}
}
