package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Images of pods that show what keeps them from becoming available, until the environment becomes kind.
const (
	// suffixMissing cannot be had.
	suffixMissing = "-missing"
	// suffixLooping ends again and again.
	suffixLooping = "-looping"
	// suffixFinishing ends the whole pod well, instead of becoming ready.
	suffixFinishing = "-finishing"
)

// stallActs are what keeps rollouts from going on, and time enough to say so.
func stallActs() []act {
	return []act{
		{"update to a missing image", 4, func(w *world, _, _ int) { w.release(suffixMissing, nil) }},
		{"update to a looping image", 4, func(w *world, _, _ int) { w.release(suffixLooping, nil) }},
		{"update to use a port of the host", 2, releasing(func(_ *world, spec *corev1.PodSpec, _ int) {
			spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 8080, ContainerPort: 8080}}
		})},
		{"update to an init container that loops", 2, releasing(func(w *world, spec *corev1.PodSpec, _ int) {
			spec.InitContainers = initContainer(fmt.Sprintf("init:v%d%s", len(w.templates), suffixLooping))
		})},
		{"update to an init container that ends", 2, releasing(func(w *world, spec *corev1.PodSpec, _ int) {
			spec.InitContainers = initContainer(fmt.Sprintf("init:v%d", len(w.templates)))
		})},
		{"a node has no room", 4, onNode(history.EditNode, func(w *world, node string, b int) {
			w.scheduler.full[node] = noRoom()[b%len(noRoom())]
		})},
		{"a node has room again", 2, onNode(history.EditNode, func(w *world, node string, _ int) { w.scheduler.makeRoom(node) })},
		{"the API server refuses pods", 3, func(w *world, _, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.RefusePods, Kind: history.KindNamespace, Name: namespace}, func() { w.controller.unwelcome = true })
		}},
		{"the API server admits pods", 2, func(w *world, _, _ int) { w.admit() }},
		{"the API server refuses pods for a node", 3, onNode(history.EditNode, func(w *world, node string, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.RefusePods, Kind: history.KindNamespace, Name: namespace, Node: node}, func() { w.controller.unwelcomeOn[node] = true })
		})},
		{"the API server refuses to delete pods of a node", 2, onNode(history.EditNode, func(w *world, node string, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.RefuseDeletions, Kind: history.KindNamespace, Name: namespace, Node: node}, func() { w.controller.keptOn[node] = true })
		})},
		{"the API server deletes pods", 3, func(w *world, _, _ int) { w.admitDeletions() }},
		{"half an hour in which pods are refused for some nodes", 2, refusedElsewhere},
		{"somebody writes a condition", 2, writeCondition},
		{"half a minute in which a stall is reported", 14, func(w *world, _, _ int) { w.stallReported(30 * time.Second) }},
		{"half an hour in which a stall is reported", 2, func(w *world, _, _ int) { w.stallReported(31 * time.Minute) }},
		// Nothing else may happen meanwhile, so that no schedule is drawn with these.
		{"update to a finishing image", 0, func(w *world, _, _ int) { w.release(suffixFinishing, nil) }},
		{"update to a port of its own", 0, releasing(func(_ *world, spec *corev1.PodSpec, _ int) {
			spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080}}
		})},
		{"update to a sidecar with a port of the host", 0, func(w *world, _, _ int) {
			w.release("", func(spec *corev1.PodSpec) {
				everyContainer(w, spec)
				spec.InitContainers[2].Ports = []corev1.ContainerPort{{HostPort: 8080, ContainerPort: 8080}}
			})
		}},
		{"a while after which no stall is reported", 0, func(w *world, a, _ int) {
			w.advance(time.Duration(a) * time.Second)
			if w.objection == nil {
				w.objection = w.stallIs(expected{}, true)
			}
		}},
		{"looping pods try again, and the stall lasts", 0, func(w *world, _, _ int) { w.stallLasts(20*time.Second, func() { w.tryAgain(1) }) }},
		{"looping pods end well, and the stall lasts", 0, func(w *world, _, _ int) { w.stallLasts(20*time.Second, func() { w.tryAgain(0) }) }},
		{"half an hour in which the stall lasts", 0, func(w *world, _, _ int) { w.stallLasts(31*time.Minute, func() {}) }},
	}
}

// noRoom is what the scheduler says of nodes without room.
func noRoom() []string {
	return []string{"Insufficient memory", "node(s) didn't have free ports for the requested pod ports", "Too many pods" + strings.Repeat(", too many pods", 60)}
}

// tryAgain has each pod that loops run for two seconds, and end with the exit code.
func (w *world) tryAgain(exit int32) {
	for _, pod := range w.api.pods() {
		if len(pod.Status.ContainerStatuses) == 0 || pod.Status.ContainerStatuses[0].State.Waiting == nil {
			continue
		}
		ended := &corev1.ContainerStateTerminated{ExitCode: exit}
		show := func(state corev1.ContainerState) {
			w.api.updatePod(pod.Name, func(pod *corev1.Pod) {
				pod.Status.Phase = corev1.PodRunning
				is := &pod.Status.ContainerStatuses[0]
				is.State, is.LastTerminationState.Terminated, is.RestartCount = state, ended, 3
			})
		}
		waiting := pod.Status.ContainerStatuses[0].State
		show(corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
		w.clock.after(2*time.Second, func() { show(corev1.ContainerState{Terminated: ended}) })
		w.clock.after(4*time.Second, func() { show(waiting) })
	}
}

// stallLasts lets time pass after something that is no end of a stall, and checks that the status says so all the while.
func (w *world) stallLasts(lasts time.Duration, happens func()) {
	began := len(w.api.entries)
	happens()
	w.advance(lasts)
	for _, entry := range w.api.entries[began:] {
		ds, is := entry.Object.(*appsv1.DaemonSet)
		if !is || w.objection != nil {
			continue
		}
		if stalled := stalledIn(ds); stalled == nil || stalled.Status != corev1.ConditionTrue {
			w.objection = broken("COND-001", "a stall lasts while its cause does: got %v", stalled)
		}
	}
	if stalled := stalledIn(w.api.daemonSet()); w.objection == nil && (stalled == nil || stalled.Status != corev1.ConditionTrue) {
		w.objection = broken("COND-001", "a stall lasts while its cause does: got %v", stalled)
	}
}

// admit lets pods be created again, for every node.
func (w *world) admit() {
	if w.controller.unwelcome || len(w.controller.unwelcomeOn) > 0 {
		w.api.noteControl(history.Stimulus{Act: history.AdmitPods, Kind: history.KindNamespace, Name: namespace}, func() {
			w.controller.unwelcome = false
			clear(w.controller.unwelcomeOn)
		})
	}
}

// admitDeletions lets pods be deleted again, on every node.
func (w *world) admitDeletions() {
	if len(w.controller.keptOn) > 0 {
		w.api.noteControl(history.Stimulus{Act: history.AdmitDeletions, Kind: history.KindNamespace, Name: namespace}, func() { clear(w.controller.keptOn) })
	}
}

// refusedElsewhere lets time pass, and checks that pods that are refused keep no pod from being created that is not.
func refusedElsewhere(w *world, _, _ int) {
	controller, process := w.controller, w.controller.process
	w.advance(31 * time.Minute)
	ds := w.api.daemonSet()
	if process == nil || controller.process != process || controller.faults.on || ds.DeletionTimestamp != nil || w.objection != nil {
		return
	}
	for _, node := range w.api.nodes() {
		has := func(pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, ds) && history.NodeOf(pod) == node.Name }
		if history.EligibilityOf(ds, node).ShouldRun && !controller.refuses(node.Name) && !slices.ContainsFunc(w.api.pods(), has) {
			w.objection = broken("RECOVERY-006", "a pod that is refused keeps no other from being created: got none on %s", node.Name)
		}
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
