package lever_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// setImage changes the image of the pod's first container.
func (b *bench) setImage(tag string) {
	b.t.Helper()
	pods := b.ground.client.CoreV1().Pods(b.Namespace())
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod, err := pods.Get(b.ctx, b.pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod.Spec.Containers[0].Image = "rollcall.dev/daemon:" + tag
		_, err = pods.Update(b.ctx, pod, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// requireReadyWith waits until the pod is Ready and its first container runs the image.
func (b *bench) requireReadyWith(tag string) {
	b.t.Helper()
	b.require("ready with the new image", func(pod *corev1.Pod) bool {
		return ready(pod) && pod.Status.ContainerStatuses[0].Image == "rollcall.dev/daemon:"+tag && pod.Status.ContainerStatuses[0].State.Running != nil
	})
}

// stillness is longer than a simulated node takes to do anything.
const stillness = time.Second

// statesIn are the states of the pod in its life.
func statesIn(lives []history.Entry) []*corev1.Pod {
	var states []*corev1.Pod
	for _, life := range lives {
		states = append(states, life.Object.(*corev1.Pod))
	}
	return states
}

// replaced asserts that the container is another instance than before.
func replaced(g *WithT, before, after corev1.ContainerStatus) {
	g.Expect(before.ContainerID).NotTo(BeEmpty())
	g.Expect(after.ContainerID).NotTo(Or(BeEmpty(), Equal(before.ContainerID)))
	g.Expect(after.RestartCount).To(Equal(before.RestartCount + 1))
	g.Expect(after.State.Running.StartedAt.Time).NotTo(BeTemporally("<", before.State.Running.StartedAt.Time))
}

func firstReady(states []*corev1.Pod) *corev1.Pod {
	for _, pod := range states {
		if ready(pod) {
			return pod
		}
	}
	return nil
}

// restartShows are the ways in which a Ready pod may show that its container is restarted.
func restartShows(ground *ground) [][]bool {
	shows := [][]bool{{true, false, true}}
	if ground.real() {
		// A kubelet probes the address of the pod. Where the new container answers before the kubelet has seen the old one's end, that counts as
		// the old one's answer: the pod was never not Ready, or is Ready once more before the new container is seen, which is then not Ready yet.
		shows = append(shows, []bool{true}, []bool{true, false, true, false, true})
	}
	return shows
}

func restart(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.setImage("v2")
	b.requireReadyWith("v2")
	lives := b.lives()
	g := NewWithT(t)
	var lawful [][]bool
	for _, shown := range restartShows(ground) {
		lawful = append(lawful, append([]bool{false}, shown...))
	}
	g.Expect(lawful).To(ContainElement(readiness(lives)))
	states := statesIn(lives)
	last := states[len(states)-1]
	replaced(g, firstReady(states).Status.ContainerStatuses[0], last.Status.ContainerStatuses[0])
	g.Expect(last.Status.ObservedGeneration).To(Equal(last.Generation))
}

func heldRestart(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	if ground.real() {
		b.refused(ground.levers().HoldRestart(b.ctx, b.pod))
		return
	}
	g := NewWithT(t)
	b.Pods.HoldRestart(b.ctx, b.pod)
	b.setImage("v2")
	b.Await(b.ctx, scenario.Quiet(stillness))
	b.Look(b.ctx, func(cluster *history.Cluster) {
		pod := cluster.Pods[b.pod.UID]
		g.Expect(pod.Status.ObservedGeneration).To(BeNumerically("<", pod.Generation))
		g.Expect(pod.Status.ContainerStatuses[0].Image).To(HaveSuffix(":v1"))
	})
	b.Pods.ObserveUpdate(b.ctx, b.pod)
	b.Await(b.ctx, scenario.Quiet(stillness))
	b.Look(b.ctx, func(cluster *history.Cluster) {
		pod := cluster.Pods[b.pod.UID]
		g.Expect(pod.Status.ObservedGeneration).To(Equal(pod.Generation))
		g.Expect(pod.Status.ContainerStatuses[0].Image).To(HaveSuffix(":v1"))
	})
	b.Pods.RestartAs(b.ctx, b.pod, "rollcall.dev/daemon:v7")
	b.requireReadyWith("v7")
	b.Pods.ReleaseRestart(b.ctx, b.pod)
	b.requireReadyWith("v2")
	lives := b.lives()
	g.Expect(readiness(lives)).To(Equal([]bool{false, true, false, true}))
	states := statesIn(lives)
	g.Expect(states[len(states)-1].Status.ContainerStatuses[0].RestartCount).To(Equal(int32(2)))
}

func oneContainer(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.Sidecar())
	b.requireReady()
	if ground.real() {
		b.refused(
			ground.levers().RestartContainer(b.ctx, b.pod, "sidecar"),
			ground.levers().RestartContainerAt(b.ctx, b.pod, "sidecar", time.Now()),
		)
		return
	}
	g := NewWithT(t)
	b.Pods.HoldRestart(b.ctx, b.pod)
	b.setImage("v2")
	b.Pods.RestartContainer(b.ctx, b.pod, "sidecar")
	b.Await(b.ctx, scenario.Quiet(stillness))
	b.Look(b.ctx, func(cluster *history.Cluster) {
		pod := cluster.Pods[b.pod.UID]
		g.Expect(pod.Status.ObservedGeneration).To(Equal(pod.Generation))
		g.Expect(pod.Status.ContainerStatuses[0].Image).To(HaveSuffix(":v1"))
		g.Expect(pod.Status.ContainerStatuses[0].RestartCount).To(BeZero())
		g.Expect(pod.Status.ContainerStatuses[1].RestartCount).To(Equal(int32(1)))
	})
	ahead := time.Now().Add(time.Hour).Truncate(time.Second)
	b.Pods.RestartContainerAt(b.ctx, b.pod, "sidecar", ahead)
	b.Look(b.ctx, func(cluster *history.Cluster) {
		started := cluster.Pods[b.pod.UID].Status.ContainerStatuses[1].State.Running.StartedAt
		g.Expect(started.Time).To(BeTemporally("==", ahead))
	})
	b.Pods.ReleaseRestart(b.ctx, b.pod)
	b.requireReadyWith("v2")
	states := statesIn(b.lives())
	ended := states[len(states)-1].Status.ContainerStatuses
	g.Expect(ended[0].RestartCount).To(Equal(int32(1)))
	g.Expect(ended[1].RestartCount).To(Equal(int32(2)))
}

func keepsReady(t *testing.T, ground *ground) {
	if ground.real() {
		t.Skip("a kubelet does it where there is no readiness probe")
	}
	b := newBench(t, ground, scenario.KeepReady())
	b.requireReady()
	b.setImage("v2")
	b.requireReadyWith("v2")
	states := statesIn(b.lives())
	g := NewWithT(t)
	first, last := firstReady(states), states[len(states)-1]
	g.Expect(last.Annotations).To(HaveKeyWithValue(stages.Restart, "keep-ready"))
	g.Expect(history.Ready(last).LastTransitionTime).To(Equal(history.Ready(first).LastTransitionTime))
	replaced(g, first.Status.ContainerStatuses[0], last.Status.ContainerStatuses[0])
}

func otherContainers(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.Sidecar(), scenario.InitContainer())
	b.requireReady()
	b.setImage("v2")
	b.requireReadyWith("v2")
	states := statesIn(b.lives())
	g := NewWithT(t)
	first, last := firstReady(states), states[len(states)-1]
	replaced(g, first.Status.ContainerStatuses[0], last.Status.ContainerStatuses[0])
	g.Expect(last.Status.ContainerStatuses[1].ContainerID).To(Equal(first.Status.ContainerStatuses[1].ContainerID))
	g.Expect(last.Status.ContainerStatuses[1].RestartCount).To(BeZero())
	g.Expect(last.Status.InitContainerStatuses).To(Equal(first.Status.InitContainerStatuses))
}

func repaired(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.setImage(stages.MissingTag)
	b.require("waiting", func(pod *corev1.Pod) bool { return pod.Status.ContainerStatuses[0].State.Waiting != nil })
	b.setImage("v3")
	b.requireReadyWith("v3")
	states := statesIn(b.lives())
	g := NewWithT(t)
	last := states[len(states)-1]
	g.Expect(last.Status.Phase).To(Equal(corev1.PodRunning))
	replaced(g, firstReady(states).Status.ContainerStatuses[0], last.Status.ContainerStatuses[0])
}
