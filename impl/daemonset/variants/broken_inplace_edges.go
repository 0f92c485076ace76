package variants

import (
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
