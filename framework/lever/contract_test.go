package lever_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// The contract of levers and templates: each is put to the test on a real control plane, once with simulated nodes and once with real kubelets,
// and the recording shows what the pod did.
var contract = map[string]func(*testing.T, *ground){
	"a pod left alone becomes ready and goes when deleted": leftAlone,
	"slow start runs unready for its delay":                slowStart,
	"unready and ready move the transition time":           unreadyAndReady,
	"a pod never to become ready does so by lever":         readyByLever,
	"a readiness gate keeps a pod from being ready":        gated,
	"it does so where the container got another name":      gatedByOtherName,
	"fail ends the pod":                                    fail,
	"succeed ends the pod":                                 succeed,
	"succeed where the container would be restarted":       succeedDespiteRestarts,
	"a held pod stays until released":                      held,
	"a pod held while it drains stays until released":      heldLate,
	"a pod released before its deletion goes":              released,
	"a pod is made unready when it is being deleted":       unreadyTooLate,
	"a draining pod takes its time":                        draining,
	"a pod restarts on image change":                       restart,
	"a held pod restarts when released":                    heldRestart,
	"one container of a held pod restarts":                 oneContainer,
	"a pod stays ready while it restarts":                  keepsReady,
	"no other container restarts":                          otherContainers,
	"an image that nobody has is repaired by another":      repaired,
	"the ready transition time":                            readySince,
	"failing pods fail":                                    failing,
	"lasting pods stay until released":                     lasting,
	"pods without an image stay pending":                   unpullable,
	"crash looping pods restart and are never ready":       crashLooping,
}

func TestContractOnSimulatedNodes(t *testing.T) { holdContract(t, simulatedGround) }

func TestContractOnRealNodes(t *testing.T) { holdContract(t, realGround(t)) }

func holdContract(t *testing.T, g *ground) {
	for name, test := range contract {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, g)
		})
	}
}

func leftAlone(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.DeletePod(b.ctx, b.pod, 30*time.Second)
	b.require("gone", gone)
	lives := b.lives()
	g := NewWithT(t)
	g.Expect(readiness(lives)).To(Equal([]bool{false, true}))
	g.Expect(lives[len(lives)-1].Type).To(Equal(watch.Deleted))
	if !ground.real() {
		g.Expect(terminating(lives)).To(BeNumerically(">", 500*time.Millisecond), "it lingers as under a kubelet")
	}
}

func slowStart(t *testing.T, ground *ground) {
	const delay = 3 * time.Second
	b := newBench(t, ground, scenario.ReadyAfter(delay))
	b.requireReady()
	lives := b.lives()
	g := NewWithT(t)
	var sawUnready bool
	for _, life := range lives {
		pod := life.Object.(*corev1.Pod)
		sawUnready = sawUnready || pod.Status.Phase == corev1.PodRunning && !ready(pod)
		if ready(pod) {
			g.Expect(life.Received - lives[0].Received).To(BeNumerically(">", delay-500*time.Millisecond))
			break
		}
	}
	g.Expect(sawUnready).To(BeTrue())
}

func unreadyAndReady(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.Pods.BecomeUnready(b.ctx, b.pod)
	b.Pods.BecomeReady(b.ctx, b.pod)
	lives := b.lives()
	g := NewWithT(t)
	g.Expect(readiness(lives)).To(Equal([]bool{false, true, false, true}))
	var wasReady bool
	var seenUnready time.Time
	for _, life := range lives {
		now := ready(life.Object.(*corev1.Pod))
		if wasReady && !now {
			seenUnready = life.Time
		}
		wasReady = now
	}
	since := history.Ready(lives[len(lives)-1].Object.(*corev1.Pod)).LastTransitionTime.Time
	g.Expect(since).NotTo(BeTemporally("<", seenUnready.Truncate(time.Second)), "ready again only after the lever")
	g.Expect(since).To(BeTemporally("<=", lives[len(lives)-1].Time))
}

func readyByLever(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.NeverReady())
	b.require("running", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodRunning })
	b.Await(b.ctx, scenario.Quiet(2*time.Second))
	b.Look(b.ctx, func(cluster *history.Cluster) {
		if ready(cluster.Pods[b.pod.UID]) {
			t.Error("the pod became ready without the lever")
		}
	})
	b.Pods.BecomeReady(b.ctx, b.pod)
	NewWithT(t).Expect(readiness(b.lives())).To(Equal([]bool{false, true}))
}

func fail(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.Pods.Fail(b.ctx, b.pod)
	b.ended(corev1.PodFailed)
}

func succeed(t *testing.T, ground *ground) {
	b := newBench(t, ground, never())
	b.requireReady()
	b.Pods.Succeed(b.ctx, b.pod)
	b.ended(corev1.PodSucceeded)
}

// ended asserts that the pod is in that phase, and that nobody deleted it.
func (b *bench) ended(phase corev1.PodPhase) {
	b.t.Helper()
	lives := b.lives()
	last := lives[len(lives)-1].Object.(*corev1.Pod)
	g := NewWithT(b.t)
	g.Expect(last.Status.Phase).To(Equal(phase))
	g.Expect(ready(last)).To(BeFalse())
	g.Expect(last.DeletionTimestamp).To(BeNil())
}

func succeedDespiteRestarts(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	if ground.real() {
		b.refused(ground.levers().Succeed(b.ctx, b.pod))
		return
	}
	b.Pods.Succeed(b.ctx, b.pod)
	b.ended(corev1.PodSucceeded)
}

// refused asserts that each of the levers was not pulled for what the pod's node is. It ends the recording.
func (b *bench) refused(errs ...error) {
	b.t.Helper()
	g := NewWithT(b.t)
	for _, err := range errs {
		g.Expect(err).To(MatchError(lever.ErrOnlySimulated))
	}
	g.Expect(readiness(b.lives())).To(Equal([]bool{false, true}))
}

func held(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.Pods.HoldTermination(b.ctx, b.pod)
	b.staysUntilReleased()
}

func heldLate(t *testing.T, ground *ground) {
	if ground.real() {
		t.Skip("under a kubelet the reaction to SIGTERM is chosen when the signal comes")
	}
	b := newBench(t, ground, scenario.DrainFor(2*time.Second))
	b.requireReady()
	b.DeletePod(b.ctx, b.pod, 5*time.Minute)
	b.Pods.HoldTermination(b.ctx, b.pod)
	b.staysUntilReleased()
}

// unreadyTooLate: somebody may have deleted a pod just before a schedule comes to it.
func unreadyTooLate(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.Pods.HoldTermination(b.ctx, b.pod)
	b.DeletePod(b.ctx, b.pod, 5*time.Minute)
	b.require("terminating", func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
	b.Pods.BecomeUnready(b.ctx, b.pod)
	b.Pods.ReleaseTermination(b.ctx, b.pod)
	b.require("gone", gone)
	NewWithT(t).Expect(readiness(b.lives())).To(Equal([]bool{false, true}))
}

func lasting(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.IgnoreSIGTERM())
	b.requireReady()
	b.staysUntilReleased()
}

// staysUntilReleased deletes the pod with the grace period of its template.
func (b *bench) staysUntilReleased() {
	b.t.Helper()
	b.DeletePod(b.ctx, b.pod, time.Duration(*b.pod.Spec.TerminationGracePeriodSeconds)*time.Second)
	b.require("terminating", func(pod *corev1.Pod) bool { return pod == nil || pod.DeletionTimestamp != nil })
	const held = 3 * time.Second
	b.Await(b.ctx, scenario.Past(time.Now().Add(held)))
	b.Pods.ReleaseTermination(b.ctx, b.pod)
	b.Look(b.ctx, func(cluster *history.Cluster) {
		if cluster.Pods[b.pod.UID] != nil {
			b.t.Error("the lever returned before the pod was gone")
		}
	})
	lives := b.lives()
	g := NewWithT(b.t)
	g.Expect(lives[len(lives)-1].Type).To(Equal(watch.Deleted))
	g.Expect(terminating(lives)).To(BeNumerically(">=", held))
}

func released(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	b.Pods.HoldTermination(b.ctx, b.pod)
	b.Pods.ReleaseTermination(b.ctx, b.pod)
	b.Look(b.ctx, func(cluster *history.Cluster) {
		if pod := cluster.Pods[b.pod.UID]; !ready(pod) || pod.DeletionTimestamp != nil {
			t.Error("the lever did more than to release")
		}
	})
	const grace = 5 * time.Minute
	b.DeletePod(b.ctx, b.pod, grace)
	b.require("gone", gone)
	NewWithT(t).Expect(terminating(b.lives())).To(BeNumerically("<", grace/2))
}

func draining(t *testing.T, ground *ground) {
	const duration = 3 * time.Second
	b := newBench(t, ground, scenario.DrainFor(duration))
	b.requireReady()
	const grace = 5 * time.Minute
	b.DeletePod(b.ctx, b.pod, grace)
	b.require("gone", gone)
	// Without the lever it would be gone at once or only after its grace period. How busy the machine is does not matter.
	NewWithT(t).Expect(terminating(b.lives())).To(And(BeNumerically(">=", duration-100*time.Millisecond), BeNumerically("<", grace/2)))
}

func readySince(t *testing.T, ground *ground) {
	b := newBench(t, ground)
	b.requireReady()
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	if ground.real() {
		b.refused(ground.levers().SetReadySince(b.ctx, b.pod, past))
		return
	}
	b.Pods.SetReadySince(b.ctx, b.pod, past)
	b.Look(b.ctx, func(cluster *history.Cluster) {
		NewWithT(t).Expect(history.Ready(cluster.Pods[b.pod.UID]).LastTransitionTime.Time).To(BeTemporally("==", past))
	})
	b.Pods.SetReadySince(b.ctx, b.pod, time.Time{})
	lives := b.lives()
	last := history.Ready(lives[len(lives)-1].Object.(*corev1.Pod))
	g := NewWithT(t)
	g.Expect(last.LastTransitionTime.IsZero()).To(BeTrue())
	g.Expect(last.Status).To(Equal(corev1.ConditionTrue))
}

func failing(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.Failing())
	b.require("failed", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodFailed })
	lives := b.lives()
	NewWithT(t).Expect(readiness(lives)).To(Equal([]bool{false}))
}

func unpullable(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.UnpullableImage())
	b.Await(b.ctx, scenario.Past(time.Now().Add(3*time.Second)))
	b.DeletePod(b.ctx, b.pod, 30*time.Second)
	b.require("gone", gone)
	lives := b.lives()
	g := NewWithT(t)
	for _, life := range lives {
		if pod := life.Object.(*corev1.Pod); pod.DeletionTimestamp == nil {
			g.Expect(pod.Status.Phase).To(Equal(corev1.PodPending))
		}
	}
	if !ground.real() {
		g.Expect(terminating(lives)).To(BeNumerically("<", 500*time.Millisecond), "nothing runs in it that could linger")
	}
}

func crashLooping(t *testing.T, ground *ground) {
	b := newBench(t, ground, scenario.CrashLooping())
	if ground.real() {
		b.require("restarted", func(pod *corev1.Pod) bool {
			return pod != nil && len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].RestartCount > 0
		})
	} else {
		b.require("running", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodRunning })
	}
	NewWithT(t).Expect(readiness(b.lives())).To(Equal([]bool{false}))
}
