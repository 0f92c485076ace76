package variants

import (
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchInterplays are right about pods whose containers are those of the template, each of which is restarted once.
func brokenPatchInterplays() []Variant {
	return []Variant{
		{Name: "adds-up-the-restarts-of-patched-containers",
			Says:   "Takes a patched pod for restarted when its changed containers have been restarted as often as there are of them, all together.",
			Breaks: []string{"INPLACE-013", "INPLACE-023"}, Planner: seeing(addUpRestarts)},
		{Name: "patches-containers-by-their-place",
			Says:   "Gives the containers of a pod the images of those in the same places of the template, whatever they are called.",
			Breaks: []string{"INPLACE-003"}, Planner: doing(patchByPlace)},
	}
}

// addUpRestarts hides the records of pods in which there were as many restarts as containers were to be restarted. Whatever is done says so itself.
func addUpRestarts(state *plan.State, now time.Time) {
	enough := func(pod *corev1.Pod) bool {
		var record updateRecord
		if json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record) != nil || len(record.Containers) < 2 {
			return false
		}
		if observed := pod.Status.ObservedGeneration; observed > 0 && observed < record.Generation {
			return false
		}
		believed, _ := inplace.Believe(pod, now)
		if plan.IsReady(believed) || len(inplace.Proofs([]*corev1.Pod{pod}, now)) > 0 {
			return false
		}
		restarts := 0
		for name, before := range record.Containers {
			status := statusOf(pod, name)
			if status == nil || status.State.Running == nil {
				return false
			}
			restarts += int(status.RestartCount - before.Restarts)
		}
		return restarts >= len(record.Containers)
	}
	changePods(state, enough, func(pod *corev1.Pod) { delete(pod.Annotations, inplace.Record) })
}

// patchByPlace has every update in place give the first container of the pod the image of the template's first, and so on.
func patchByPlace(actions *plan.Actions, state plan.State, now time.Time) {
	actions.UpdatePods = slices.Clone(actions.UpdatePods)
	template := state.DaemonSet.Spec.Template.Spec.Containers
	for i, update := range actions.UpdatePods {
		images := map[string]string{}
		for place, container := range update.Pod.Spec.Containers[:min(len(template), len(update.Pod.Spec.Containers))] {
			if wanted := template[place].Image; wanted != container.Image {
				images[container.Name] = wanted
			}
		}
		record, err := inplace.RecordOf(update.Pod, images, now)
		if err != nil {
			continue
		}
		actions.UpdatePods[i].Images, actions.UpdatePods[i].Annotations = images, map[string]string{inplace.Record: record}
	}
}
