package lever_test

import (
	"context"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// The contract of the levers on simulated nodes: each is pulled on a real control plane, and the recording shows what the pod did.

var client kubernetes.Interface

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.Main(m, func(cluster *embedded.Cluster) { client = kubernetes.NewForConfigOrDie(cluster.Config()) }))
}

// bench is one pod on one simulated node, under recording.
type bench struct {
	*scenario.Scenario
	t   *testing.T
	ctx context.Context
	pod *corev1.Pod
}

func newBench(t *testing.T, name string, annotations map[string]string) *bench {
	t.Helper()
	t.Parallel()
	ctx := t.Context()
	b := &bench{t: t, ctx: ctx}
	b.Scenario = scenario.Start(ctx, t, scenario.Environment{Client: client, Recordings: t.TempDir()}, name, t.Name())
	node := b.AddNodes(ctx, 1)[0]
	pod, err := client.CoreV1().Pods(name).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Annotations: annotations},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "daemon", Image: "rollcall.dev/daemon:v1"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.pod = pod
	return b
}

func (b *bench) require(what string, condition func(*corev1.Pod) bool) {
	b.t.Helper()
	b.Require(b.ctx, what, func(cluster *history.Cluster) bool { return condition(cluster.Pods[b.pod.UID]) })
}

func ready(pod *corev1.Pod) bool { return pod != nil && history.IsReady(pod) }

// lives returns every state that the pod was in, in order.
func (b *bench) lives() []history.Entry {
	b.t.Helper()
	h, err := b.Finish(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	var lives []history.Entry
	for _, entry := range h.Entries {
		if entry.Kind == history.KindPod && entry.Object.GetUID() == b.pod.UID {
			lives = append(lives, entry)
		}
	}
	return lives
}

func readiness(lives []history.Entry) []bool {
	var readiness []bool
	for _, life := range lives {
		if now := ready(life.Object.(*corev1.Pod)); len(readiness) == 0 || readiness[len(readiness)-1] != now {
			readiness = append(readiness, now)
		}
	}
	return readiness
}

func TestAPodWithoutLeversBecomesReadyAtOnceAndGoesWhenDeleted(t *testing.T) {
	b := newBench(t, "plain", nil)
	b.require("ready", ready)
	b.DeletePod(b.ctx, b.pod, 30*time.Second)
	b.require("gone", func(pod *corev1.Pod) bool { return pod == nil })
	lives := b.lives()
	g := NewWithT(t)
	g.Expect(readiness(lives)).To(Equal([]bool{false, true}))
	g.Expect(lives[len(lives)-1].Type).To(Equal(watch.Deleted))
}

func TestSlowStartRunsUnreadyForItsDelay(t *testing.T) {
	b := newBench(t, "slow-start", map[string]string{stages.StartDelay: "2s"})
	b.require("ready", ready)
	var running, becameReady time.Duration
	for _, life := range b.lives() {
		pod := life.Object.(*corev1.Pod)
		if pod.Status.Phase == corev1.PodRunning && running == 0 {
			running = life.Received
		}
		if ready(pod) && becameReady == 0 {
			becameReady = life.Received
		}
	}
	NewWithT(t).Expect(becameReady-running).To(BeNumerically("~", 2*time.Second, 500*time.Millisecond), "from running to ready")
}

func TestBecomeUnreadyAndReadyMoveTheTransitionTime(t *testing.T) {
	b := newBench(t, "readiness", nil)
	b.require("ready", ready)
	b.Pods.BecomeUnready(b.ctx, b.pod)
	b.Pods.BecomeReady(b.ctx, b.pod)
	lives := b.lives()
	g := NewWithT(t)
	g.Expect(readiness(lives)).To(Equal([]bool{false, true, false, true}))
	last := lives[len(lives)-1]
	g.Expect(history.Ready(last.Object.(*corev1.Pod)).LastTransitionTime.Time).To(BeTemporally("~", last.Time, 1500*time.Millisecond))
}

func TestAPodStartedNeverToBecomeReadyDoesSoByLever(t *testing.T) {
	b := newBench(t, "never-ready", map[string]string{stages.Readiness: "false"})
	b.require("running", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodRunning })
	b.Await(b.ctx, scenario.Quiet(time.Second))
	b.Look(b.ctx, func(cluster *history.Cluster) {
		if ready(cluster.Pods[b.pod.UID]) {
			t.Error("the pod became ready without the lever")
		}
	})
	b.Pods.BecomeReady(b.ctx, b.pod)
	NewWithT(t).Expect(readiness(b.lives())).To(Equal([]bool{false, true}))
}

func TestFailAndSucceedEndThePod(t *testing.T) {
	for name, row := range map[string]struct {
		pull func(*bench)
		want corev1.PodPhase
	}{
		"fail":    {func(b *bench) { b.Pods.Fail(b.ctx, b.pod) }, corev1.PodFailed},
		"succeed": {func(b *bench) { b.Pods.Succeed(b.ctx, b.pod) }, corev1.PodSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "end-"+name, nil)
			b.require("ready", ready)
			row.pull(b)
			lives := b.lives()
			last := lives[len(lives)-1].Object.(*corev1.Pod)
			g := NewWithT(t)
			g.Expect(last.Status.Phase).To(Equal(row.want))
			g.Expect(ready(last)).To(BeFalse())
			g.Expect(last.DeletionTimestamp).To(BeNil())
		})
	}
}

func TestAHeldPodStaysTerminatingUntilReleased(t *testing.T) {
	b := newBench(t, "termination", nil)
	b.require("ready", ready)
	b.Pods.HoldTermination(b.ctx, b.pod)
	b.DeletePod(b.ctx, b.pod, time.Second)
	b.require("terminating", func(pod *corev1.Pod) bool { return pod == nil || pod.DeletionTimestamp != nil })
	b.Await(b.ctx, scenario.Quiet(2*time.Second))
	b.Note(history.Stimulus{Lever: "two seconds later"})
	b.Pods.ReleaseTermination(b.ctx, b.pod)
	lives := b.lives()
	g := NewWithT(t)
	last := lives[len(lives)-1]
	g.Expect(last.Type).To(Equal(watch.Deleted))
	for _, life := range lives {
		if pod := life.Object.(*corev1.Pod); pod.DeletionTimestamp != nil {
			g.Expect(last.Received-life.Received).To(BeNumerically(">=", 2*time.Second), "from the deletion to the end")
			break
		}
	}
}

func TestAPodRestartsOnImageChange(t *testing.T) {
	b := newBench(t, "restart", nil)
	b.require("ready", ready)
	pods := client.CoreV1().Pods(b.Namespace())
	pod, err := pods.Get(b.ctx, b.pod.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Spec.Containers[0].Image = "rollcall.dev/daemon:v2"
	if _, err := pods.Update(b.ctx, pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.require("ready with the new image", func(pod *corev1.Pod) bool {
		return ready(pod) && pod.Status.ContainerStatuses[0].Image == "rollcall.dev/daemon:v2"
	})
	lives := b.lives()
	g := NewWithT(t)
	g.Expect(readiness(lives)).To(Equal([]bool{false, true, false, true}))
	g.Expect(lives[len(lives)-1].Object.(*corev1.Pod).Status.ContainerStatuses[0].RestartCount).To(Equal(int32(1)))
}

func TestTheReadyTransitionTimeCanBeSetAndTaken(t *testing.T) {
	b := newBench(t, "since", nil)
	b.require("ready", ready)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
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
