package variants

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenOvertaken record what revisions say, and not what has become of the pod.
func brokenOvertaken() []Variant {
	return []Variant{
		{Name: "set-records-nothing-of-what-is-taken-back",
			Says:   "Expects nothing of a container whose image is taken back before it was restarted, and so counts the pod at once.",
			Breaks: []string{"INPLACE-033"}, Planner: recording(leaveOutTakenBack)},
		{Name: "set-expects-the-restarts-that-its-revisions-differ-by",
			Says:   "Waits for the restart of every container whose image differs between the revisions, also where somebody gave the pod that image before.",
			Breaks: []string{"INPLACE-031"}, Planner: recording(expectAllThatDiffers)},
	}
}

// written is what a record says of containers, by their names.
type written map[string]writtenInstance

type writtenInstance struct {
	ID       string   `json:"id,omitempty"`
	Restarts int32    `json:"restarts"`
	Image    string   `json:"image,omitempty"`
	Maybe    bool     `json:"maybe,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
}

// recording changes what the records of updates in place say of containers.
func recording(change func(containers written, update plan.PodUpdate, state plan.State, now time.Time)) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		actions.UpdatePods = slices.Clone(actions.UpdatePods)
		for i, update := range actions.UpdatePods {
			record, containers := map[string]json.RawMessage{}, written{}
			if json.Unmarshal([]byte(update.Annotations[inplace.Record]), &record) != nil {
				continue
			}
			// One of no containers says nothing of them.
			_ = json.Unmarshal(record["containers"], &containers)
			change(containers, update, state, now)
			// Both can be encoded as they were decoded.
			record["containers"], _ = json.Marshal(containers)
			encoded, _ := json.Marshal(record)
			annotations := maps.Clone(update.Annotations)
			annotations[inplace.Record] = string(encoded)
			actions.UpdatePods[i].Annotations = annotations
		}
	})
}

// leaveOutTakenBack leaves out the containers that the update gives the image back which their instances run.
func leaveOutTakenBack(containers written, update plan.PodUpdate, _ plan.State, now time.Time) {
	if _, recorded := update.Pod.Annotations[inplace.Record]; !recorded || ready(update.Pod, now) {
		return
	}
	maps.DeleteFunc(containers, func(name string, is writtenInstance) bool {
		image, changes := update.Images[name]
		return changes && is.Image == image && instanceOf(update.Pod, name).ContainerID == is.ID
	})
}

// expectAllThatDiffers adds the containers whose images differ between the revision of the pod and the template, and not between it and the pod.
func expectAllThatDiffers(containers written, update plan.PodUpdate, state plan.State, _ time.Time) {
	images := map[string]string{}
	for _, revision := range state.Revisions {
		if stored := daemons.StoredTemplate(revision); stored != nil && revision.Name == update.Pod.Labels[plan.RevisionLabel] {
			for _, container := range stored.Spec.Containers {
				images[container.Name] = container.Image
			}
		}
	}
	for _, container := range state.Set.Spec.Template.Spec.Containers {
		from, known := images[container.Name]
		_, recorded := containers[container.Name]
		if !known || recorded || from == container.Image {
			continue
		}
		is := instanceOf(update.Pod, container.Name)
		containers[container.Name] = writtenInstance{ID: is.ContainerID, Restarts: is.RestartCount, Image: from}
	}
}

// ready reports whether the pod is, as anybody would say who knows of updates in place.
func ready(pod *corev1.Pod, now time.Time) bool {
	believed, _ := inplace.Believe(pod, now)
	return daemons.IsReady(believed)
}

// instanceOf is the status of the pod's container; an empty one if there is none.
func instanceOf(pod *corev1.Pod, container string) corev1.ContainerStatus {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container {
			return status
		}
	}
	return corev1.ContainerStatus{}
}
