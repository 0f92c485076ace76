package variants

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// inPlace reports whether the DaemonSet asks for updates in place.
func inPlace(state plan.State) bool {
	return state.DaemonSet.Annotations[inplace.Policy] == inplace.IfPossible
}

// rolling reports whether the strategy is RollingUpdate.
func rolling(state plan.State) bool {
	return state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
}

// setPolicy shows a DaemonSet with another policy.
func setPolicy(state *plan.State, policy string) {
	ds := state.DaemonSet.DeepCopy()
	metav1.SetMetaDataAnnotation(&ds.ObjectMeta, inplace.Policy, policy)
	state.DaemonSet = ds
}

// recreating shows a DaemonSet that does not ask for updates in place, where when says so.
func recreating(when func(plan.State) bool) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		if inPlace(*state) && when(*state) {
			setPolicy(state, inplace.Recreate)
		}
	})
}

// updateRecord is what the variants read of inplace.Record.
type updateRecord struct {
	At         metav1.Time               `json:"at"`
	Generation int64                     `json:"generation,omitempty"`
	Containers map[string]updateInstance `json:"containers,omitempty"`
}

type updateInstance struct {
	ID       string   `json:"id,omitempty"`
	Restarts int32    `json:"restarts"`
	Image    string   `json:"image,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
}

// records shows other records of updates in place than pods have. change returns whether there is still one.
func records(change func(pod *corev1.Pod, record *updateRecord) bool) Around {
	return seeing(func(state *plan.State, _ time.Time) { changeRecords(state, change) })
}

func changeRecords(state *plan.State, change func(pod *corev1.Pod, record *updateRecord) bool) {
	recorded := func(pod *corev1.Pod) bool { return pod.Annotations[inplace.Record] != "" }
	changePods(state, recorded, func(pod *corev1.Pod) {
		var record updateRecord
		if err := json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record); err != nil {
			return
		}
		if !change(pod, &record) {
			delete(pod.Annotations, inplace.Record)
			return
		}
		// It can be encoded as it was decoded.
		encoded, _ := json.Marshal(record)
		pod.Annotations[inplace.Record] = string(encoded)
	})
}

// rewriteRecord keeps in the record that an update writes only the containers that which selects.
func rewriteRecord(update *plan.PodUpdate, which func(container string) bool) {
	var record updateRecord
	if err := json.Unmarshal([]byte(update.Annotations[inplace.Record]), &record); err != nil {
		return
	}
	maps.DeleteFunc(record.Containers, func(container string, _ updateInstance) bool { return !which(container) })
	// It can be encoded as it was decoded.
	encoded, _ := json.Marshal(record)
	update.Annotations = map[string]string{inplace.Record: string(encoded)}
}

// forget is for records: there is none.
func forget(*corev1.Pod, *updateRecord) bool { return false }

// changeContainers applies the change to every container of a record.
func changeContainers(record *updateRecord, change func(name string, is *updateInstance)) {
	containers := map[string]updateInstance{}
	for name, is := range record.Containers {
		change(name, &is)
		containers[name] = is
	}
	record.Containers = containers
}

// statusOf is the status of the pod's container; nil if there is none.
func statusOf(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == container {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// updateInPlace returns the update of a pod to the images of the template, whatever else differs.
func updateInPlace(state plan.State, pod *corev1.Pod, reason plan.Reason) plan.PodUpdate {
	ds := state.DaemonSet
	return plan.PodUpdate{
		Pod: pod, Node: plan.TargetNode(pod), Reason: reason, Images: inplace.Images(pod, nil, &ds.Spec.Template),
		Labels: map[string]string{plan.HashLabel: plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)},
	}
}

// patchInstead updates pods in place that are to be deleted, where which says so.
func patchInstead(which func(plan.State, plan.PodDeletion) bool) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if !inPlace(state) || !rolling(state) || maySurge(state) {
			return
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if !which(state, d) {
				return false
			}
			actions.UpdatePods = append(actions.UpdatePods, updateInPlace(state, d.Pod, d.Reason))
			return true
		})
	})
}

// deleteInstead deletes pods that are to be updated in place, where which says so.
func deleteInstead(which func(plan.State, plan.PodUpdate) bool) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(update plan.PodUpdate) bool {
			if !which(state, update) {
				return false
			}
			actions.DeletePods = append(slices.Clone(actions.DeletePods), plan.PodDeletion{Pod: update.Pod, Node: update.Node, Reason: update.Reason})
			return true
		})
	})
}

// changeUpdates changes every update in place.
func changeUpdates(change func(state plan.State, update *plan.PodUpdate)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		actions.UpdatePods = slices.Clone(actions.UpdatePods)
		for i := range actions.UpdatePods {
			update := &actions.UpdatePods[i]
			update.Labels, update.Images = maps.Clone(update.Labels), maps.Clone(update.Images)
			change(state, update)
		}
	})
}
