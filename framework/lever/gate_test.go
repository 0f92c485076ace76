package lever_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// gate is the condition that the pod waits for.
const gate corev1.PodConditionType = "example.org/opened"

func gated(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.ReadinessGate(gate))
	closed := func(pod *corev1.Pod) bool { return pod != nil && containersReady(pod) && !ready(pod) }
	b.require("its containers ready, and not the pod", closed)
	b.setGate(corev1.ConditionTrue)
	b.requireReady()
	b.setImage("v2")
	b.requireReadyWith("v2")
	since := b.containersReadySince()
	// Transitions have a resolution of a second: a later one is to show.
	b.require("a second later", func(*corev1.Pod) bool { return time.Since(since) > 2*time.Second })
	b.setGate(corev1.ConditionFalse)
	b.require("its containers ready, and not the pod", closed)
	b.setGate(corev1.ConditionTrue)
	b.requireReady()
	g := NewWithT(t)
	g.Expect(b.containersReadySince()).To(Equal(since), "what its gate does is nothing to its containers")
	var lawful [][]bool
	for _, shown := range restartShows(ground) {
		lawful = append(lawful, slices.Concat([]bool{false}, shown, []bool{false, true}))
	}
	g.Expect(lawful).To(ContainElement(readiness(b.lives())))
}

func gatedByOtherName(t *testing.T, ground *ground) {
	if ground.real() {
		t.Skip("a runtime gives its images names of its own choice")
	}
	const name = "mirror.rollcall.dev/daemon:v2"
	b := newBench(t, ground, scenario.ReadinessGate(gate))
	restarted := func(pod *corev1.Pod) bool { return pod.Status.ContainerStatuses[0].Image == name }
	closed := func(pod *corev1.Pod) bool { return pod != nil && containersReady(pod) && !ready(pod) }
	b.require("its containers ready, and not the pod", closed)
	b.setGate(corev1.ConditionTrue)
	b.requireReady()
	b.Pods.HoldRestart(b.ctx, b.pod)
	b.setImage("v2")
	b.Pods.RestartAs(b.ctx, b.pod, name)
	b.require("restarted", func(pod *corev1.Pod) bool { return restarted(pod) && ready(pod) })
	b.setGate(corev1.ConditionFalse)
	b.require("its containers ready, and not the pod", closed)
	b.setGate(corev1.ConditionTrue)
	b.requireReady()
	states := statesIn(b.lives())
	NewWithT(t).Expect(restarted(states[len(states)-1])).To(BeTrue())
}

func containersReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.ContainersReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// containersReadySince is when the pod's containers became ready, as its condition says.
func (b *bench) containersReadySince() (since time.Time) {
	b.Look(b.ctx, func(cluster *history.Cluster) {
		for _, condition := range cluster.Pods[b.pod.UID].Status.Conditions {
			if condition.Type == corev1.ContainersReady {
				since = condition.LastTransitionTime.Time
			}
		}
	})
	return since
}

// setGate writes the condition, as whoever opens and closes the gate does.
func (b *bench) setGate(status corev1.ConditionStatus) {
	b.t.Helper()
	condition := map[string]any{"type": gate, "status": status, "lastTransitionTime": metav1.Now()}
	body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []any{condition}}})
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = b.ground.client.CoreV1().Pods(b.Namespace()).Patch(b.ctx, b.pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	if err != nil {
		b.t.Fatal(err)
	}
}
