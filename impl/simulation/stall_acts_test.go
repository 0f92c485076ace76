package simulation

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Images of pods that show what keeps them from becoming available, until the environment becomes kind.
const (
	// suffixMissing cannot be had.
	suffixMissing = "-missing"
	// suffixLooping ends again and again.
	suffixLooping = "-looping"
)

// stallActs are what keeps rollouts from going on, and time enough to say so.
func stallActs() []act {
	return []act{
		{"update to a missing image", 4, func(w *world, _, _ int) { w.release(suffixMissing, nil) }},
		{"update to a looping image", 4, func(w *world, _, _ int) { w.release(suffixLooping, nil) }},
		{"update to use a port of the host", 2, releasing(func(spec *corev1.PodSpec, _ int) {
			spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 8080, ContainerPort: 8080}}
		})},
		{"a node has no room", 4, onNode(history.EditNode, func(w *world, node string, b int) {
			w.scheduler.full[node] = []string{"Insufficient memory", "node(s) didn't have free ports for the requested pod ports"}[b%2]
		})},
		{"a node has room again", 2, onNode(history.EditNode, func(w *world, node string, _ int) { w.scheduler.makeRoom(node) })},
		{"somebody writes a condition", 2, writeCondition},
		{"half a minute in which a stall is reported", 14, func(w *world, _, _ int) { w.stallReported(30 * time.Second) }},
		{"half an hour in which a stall is reported", 2, func(w *world, _, _ int) { w.stallReported(31 * time.Minute) }},
	}
}

// admit lets pods be created again.
func (w *world) admit() {
	if w.controller.unwelcome {
		w.api.noteControl(history.Stimulus{Act: history.AdmitPods, Kind: history.KindNamespace, Name: namespace}, func() { w.controller.unwelcome = false })
	}
}

// foreignCondition is somebody else's.
const foreignCondition appsv1.DaemonSetConditionType = "Somebodys"

// writeCondition has somebody else write a condition into the status.
func writeCondition(w *world, a, _ int) {
	ds := w.api.daemonSet()
	if ds == nil {
		return
	}
	w.api.note(history.Stimulus{Act: history.WriteStatus, Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID})
	// The edit cannot fail and the DaemonSet exists.
	_ = w.api.update(history.KindDaemonSet, ds.Name, func(object history.Object) error {
		status := &object.(*appsv1.DaemonSet).Status
		status.Conditions = slices.DeleteFunc(status.Conditions, func(c appsv1.DaemonSetCondition) bool { return c.Type == foreignCondition })
		own := appsv1.DaemonSetCondition{Type: foreignCondition, Status: corev1.ConditionTrue, Reason: "Somebody"}
		status.Conditions = slices.Insert(status.Conditions, a%(len(status.Conditions)+1), own)
		return nil
	})
	w.foreign = true
}
