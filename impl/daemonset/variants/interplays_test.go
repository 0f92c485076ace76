package variants_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// planners returns the reference's planner as false, and that of the variant as true.
func planners(t *testing.T, name string) map[bool]plan.Planner {
	t.Helper()
	v, err := variants.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return map[bool]plan.Planner{false: plan.Plan, true: v.Planner(plan.Plan)}
}

// running gives the pod a status for each of its containers.
func running(w *world) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		for _, container := range pod.Spec.Containers {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
				Name: container.Name, ContainerID: container.Name + "-0",
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now.Add(-time.Hour))}},
			})
		}
	}
}

// patched does to the pod what the update wants.
func patched(update plan.PodUpdate) *corev1.Pod {
	pod := update.Pod.DeepCopy()
	for i, container := range pod.Spec.Containers {
		if image, changes := update.Images[container.Name]; changes {
			pod.Spec.Containers[i].Image = image
		}
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[inplace.Record], pod.Labels[plan.HashLabel] = update.Annotations[inplace.Record], update.Labels[plan.HashLabel]
	return pod
}

func TestRestartsOfPatchedContainersAreAddedUp(t *testing.T) {
	for variant, planner := range planners(t, "adds-up-the-restarts-of-patched-containers") {
		w := newWorld(t, 2, "0", "1")
		w.DaemonSet.Annotations[inplace.Policy] = inplace.IfPossible
		containers := &w.DaemonSet.Spec.Template.Spec.Containers
		*containers = append(*containers, corev1.Container{Name: "proxy", Image: "p1"})
		w.update("v1")
		w.everywhere(running(w))
		w.DaemonSet.Spec.Template.Spec.Containers[1].Image = "p2"
		w.update("v2")
		updates := planner(w.State, w.now).UpdatePods
		if len(updates) != 1 || len(updates[0].Images) != 2 {
			t.Fatalf("variant %t: %+v", variant, updates)
		}
		w.Pods[0] = patched(updates[0])
		for restarts := range int32(3) {
			w.Pods[0].Status.ContainerStatuses[0].RestartCount = restarts
			if restarts > 0 {
				w.Pods[0].Status.ContainerStatuses[0].ContainerID = "agent-1"
			}
			next := planner(w.State, w.now).UpdatePods
			if goesOn := len(next) > 0; goesOn != (variant && restarts == 2) {
				t.Errorf("variant %t goes on to the next pod: %t, after %d restarts of one container", variant, goesOn, restarts)
			}
		}
	}
}

func TestContainersArePatchedByTheirPlace(t *testing.T) {
	for variant, planner := range planners(t, "patches-containers-by-their-place") {
		w := newWorld(t, 1, "0", "1")
		w.DaemonSet.Annotations[inplace.Policy] = inplace.IfPossible
		w.everywhere(func(pod *corev1.Pod) {
			pod.Spec.Containers = slices.Insert(pod.Spec.Containers, 0, corev1.Container{Name: "injected", Image: "proxy"})
		})
		w.update("v2")
		updates := planner(w.State, w.now).UpdatePods
		name := map[bool]string{false: "agent", true: "injected"}[variant]
		if len(updates) != 1 || len(updates[0].Images) != 1 || updates[0].Images[name] != "v2" {
			t.Errorf("variant %t: %+v, want an update of %s alone", variant, updates, name)
		}
		w.Pods[0].Spec.Containers = append(w.Pods[0].Spec.Containers[1:2:2], w.Pods[0].Spec.Containers[0])
		if updates = planner(w.State, w.now).UpdatePods; len(updates) != 1 || updates[0].Images["agent"] != "v2" || len(updates[0].Images) != 1 {
			t.Errorf("variant %t, injected behind: %+v", variant, updates)
		}
	}
}
