package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// stalling is a surge rollout whose only slot is held by a pod on n0, beside available old pods on it and n1.
func stalling(t *testing.T, with ...func(*corev1.Pod)) *world {
	t.Helper()
	w := newWorld(t, 2)
	w.surging("1")
	w.pods(w.ready())
	w.update("v2")
	w.pod("n0", with...)
	return w
}

// pass plans, has what is written to the status written, and returns the plan.
func (w *world) pass() plan.Actions {
	actions := w.plan()
	if actions.Status != nil {
		w.DaemonSet.Status = *actions.Status
	}
	return actions
}

func (w *world) stalled() *appsv1.DaemonSetCondition {
	for i := range w.DaemonSet.Status.Conditions {
		if w.DaemonSet.Status.Conditions[i].Type == plan.ConditionStalled {
			return &w.DaemonSet.Status.Conditions[i]
		}
	}
	return nil
}

func (w *world) unschedulable(since time.Duration, words string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pending(pod)
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: words,
			LastTransitionTime: metav1.NewTime(w.now.Add(-since)),
		}}
	}
}

func container(state corev1.ContainerState, restarts int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "agent", Image: "agent:v2", State: state, RestartCount: restarts}}
	}
}

func waiting(reason string) func(*corev1.Pod) {
	return container(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}, 0)
}

// withoutSecret is a pod whose container needs a Secret that is not there.
func withoutSecret(pod *corev1.Pod) {
	container(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: `secret "token" not found`}}, 0)(pod)
}

func createdAgo(w *world, d time.Duration) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.CreationTimestamp = metav1.NewTime(w.now.Add(-d)) }
}

func TestAStalledRolloutSaysWhy(t *testing.T) {
	at := newWorld(t, 0)
	hostPort := func(pod *corev1.Pod) { pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}} }
	fresh := createdAgo(at, time.Second)
	for name, c := range map[string]struct {
		pod    []func(*corev1.Pod)
		reason string
		words  string
		wait   time.Duration
	}{
		"unschedulable":                      {[]func(*corev1.Pod){at.unschedulable(time.Minute, "Insufficient cpu")}, plan.StalledUnschedulable, "Insufficient cpu", 0},
		"unschedulable since a moment":       {[]func(*corev1.Pod){at.unschedulable(time.Second, "Insufficient cpu")}, "", "", plan.UnschedulableGrace - time.Second},
		"a host port is taken":               {[]func(*corev1.Pod){hostPort, at.unschedulable(time.Minute, "didn't have free ports")}, plan.StalledHostPortConflict, "free ports", 0},
		"image":                              {[]func(*corev1.Pod){waiting("ImagePullBackOff")}, plan.StalledImagePull, `"agent:v2"`, 0},
		"configuration":                      {[]func(*corev1.Pod){fresh, withoutSecret}, plan.StalledContainer, `container agent: secret "token" not found`, 0},
		"crash loop":                         {[]func(*corev1.Pod){waiting("CrashLoopBackOff")}, plan.StalledCrashLoop, "container agent", 0},
		"container is being created":         {[]func(*corev1.Pod){fresh, waiting("ContainerCreating")}, "", "", plan.NotReadyDeadline - time.Second},
		"container ended for the first time": {[]func(*corev1.Pod){fresh, container(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}, 0)}, "", "", plan.NotReadyDeadline - time.Second},
		"container ended again":              {[]func(*corev1.Pod){fresh, container(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}, 1)}, plan.StalledCrashLoop, "container agent", 0},
		"starting":                           {[]func(*corev1.Pod){fresh}, "", "", plan.NotReadyDeadline - time.Second},
		"never Ready":                        {[]func(*corev1.Pod){createdAgo(at, plan.NotReadyDeadline)}, plan.StalledNotReady, "10m0s", 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := stalling(t, c.pod...)
			actions := w.pass()
			g.Expect(actions.RequeueAfter).To(Equal(c.wait), "AVAIL-005: what time alone brings about is announced")
			if c.reason == "" {
				g.Expect(w.stalled()).To(BeNil(), "COND-001")
				return
			}
			g.Expect(w.stalled()).To(HaveValue(And(
				HaveField("Status", corev1.ConditionTrue), HaveField("Reason", c.reason), HaveField("LastTransitionTime.Time", w.now),
				HaveField("Message", And(ContainSubstring("v2-n0-3 on node n0"), ContainSubstring(c.words))))), "COND-001")
			g.Expect(actions.Events).To(ConsistOf(And(HaveField("Type", corev1.EventTypeWarning), HaveField("Reason", plan.EventRolloutStalled))), "COND-002")
		})
	}
}

func TestAStallIsReportedOnceAndTakenBack(t *testing.T) {
	g := NewWithT(t)
	w := stalling(t, waiting("ErrImagePull"))
	theirs := appsv1.DaemonSetCondition{Type: "Theirs", Status: corev1.ConditionTrue}
	w.DaemonSet.Status.Conditions = []appsv1.DaemonSetCondition{theirs}
	begun := metav1.NewTime(w.now)
	w.pass()

	w.now = w.now.Add(time.Minute)
	waiting("ImagePullBackOff")(w.Pods[2])
	again := w.pass()
	g.Expect(again.Status).To(BeNil(), "STATUS-012: nothing has changed")
	g.Expect(again.Events).To(BeEmpty(), "COND-002")
	g.Expect(w.stalled().LastTransitionTime).To(Equal(begun))

	w.ready()(w.Pods[2])
	resumed := w.pass()
	g.Expect(deleted(resumed)).To(Equal([]string{"v1-n0-1"}))
	g.Expect(w.stalled()).To(HaveValue(And(HaveField("Status", corev1.ConditionFalse), HaveField("Reason", plan.StalledProgressing), HaveField("LastTransitionTime.Time", w.now))), "COND-003")
	g.Expect(resumed.Events).To(ConsistOf(And(HaveField("Type", corev1.EventTypeNormal), HaveField("Reason", plan.EventRolloutResumed))))
	taken := w.stalled().LastTransitionTime

	w.now = w.now.Add(time.Minute)
	w.Pods = w.Pods[2:]
	w.pod("n1", w.ready())
	g.Expect(w.pass().Events).To(BeEmpty())
	g.Expect(w.stalled()).To(HaveValue(And(HaveField("Reason", plan.StalledRolledOut), HaveField("LastTransitionTime", taken))))
	g.Expect(w.DaemonSet.Status.Conditions).To(ContainElement(theirs), "COND-005")
}

// One node's pod may still become available: the rollout may go on by itself.
func TestARolloutIsNotStalledWhileOnePodMayStillBecomeAvailable(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.pod("n0", waiting("ImagePullBackOff"))
	starting := w.pod("n1", createdAgo(w, time.Second))
	w.pass()
	g.Expect(w.stalled()).To(BeNil())
	waiting("ImagePullBackOff")(starting)
	w.pass()
	g.Expect(w.stalled()).To(HaveValue(HaveField("Message", And(ContainSubstring("node n0"), HaveSuffix("more nodes that wait: 1")))), "COND-001")
}

// The replacement of a pod that ended is no progress, so the condition stays until one becomes Ready.
func TestFailingPodsStallARolloutUntilOneIsReady(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.pod("n0", ended(corev1.PodFailed))
	w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now, Updated: true}}
	g.Expect(w.pass().Events).To(ConsistOf(HaveField("Reason", plan.EventRolloutStalled)))
	g.Expect(w.stalled()).To(HaveValue(And(HaveField("Status", corev1.ConditionTrue), HaveField("Reason", plan.StalledFailing), HaveField("Message", ContainSubstring("n0")))), "COND-001")
	unchanged := *w.stalled()

	w.now = w.now.Add(time.Minute)
	replaced := w.pass()
	g.Expect(deleted(replaced)).To(HaveLen(1))
	w.Backoff = replaced.Backoff
	w.Pods = nil
	g.Expect(created(w.pass())).To(HaveLen(1))
	starting := w.pod("n0")
	w.pass()
	g.Expect(w.stalled()).To(HaveValue(Equal(unchanged)))

	w.ready()(starting)
	w.pass()
	g.Expect(w.stalled()).To(HaveValue(HaveField("Status", corev1.ConditionFalse)), "COND-003")
}

func TestADaemonSetThatNeverStalledHasNoCondition(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.pods(w.ready())
	w.pass()
	w.update("v2")
	g.Expect(deleted(w.pass())).To(HaveLen(1))
	g.Expect(w.DaemonSet.Status.Conditions).To(BeEmpty())
}

func TestARolloutWhosePodsAreRefusedIsStalled(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("2")
	w.pods(w.ready())
	w.update("v2")
	w.Refused = &plan.Refusal{Since: w.now.Add(-time.Second), Words: "is forbidden: exceeded quota: compute"}
	actions := w.pass()
	g.Expect(w.stalled()).To(BeNil(), "COND-001: it may be over in a moment")
	g.Expect(actions.RequeueAfter).To(Equal(plan.RefusalGrace - time.Second))

	w.now = w.now.Add(time.Minute)
	actions = w.pass()
	g.Expect(created(actions)).To(Equal([]string{"n0", "n1"}), "RECOVERY-006: it keeps trying")
	g.Expect(w.stalled()).To(HaveValue(And(
		HaveField("Status", corev1.ConditionTrue), HaveField("Reason", plan.StalledCreationRefused),
		HaveField("Message", "the pod for node n0 cannot be created: is forbidden: exceeded quota: compute; more nodes that wait: 1"))), "COND-001")
	g.Expect(actions.Events).To(ConsistOf(HaveField("Reason", plan.EventRolloutStalled)), "COND-002")
	again := w.pass()
	g.Expect(again.Status).To(BeNil(), "STATUS-012: nothing has changed")
	g.Expect(again.Events).To(BeEmpty())

	w.Refused = nil
	w.pod("n0")
	resumed := w.pass()
	g.Expect(w.stalled()).To(HaveValue(HaveField("Status", corev1.ConditionFalse)), "COND-003")
	g.Expect(resumed.Events).To(ConsistOf(HaveField("Reason", plan.EventRolloutResumed)))
}

func TestASlotGoesToANodeWhosePodIsNotRefused(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("1")
	w.pods(w.ready())
	w.update("v2")
	refused := func(nodes ...string) *plan.Refusal {
		at := map[string]time.Time{}
		for i, node := range nodes {
			at[node] = w.now.Add(time.Duration(i) * time.Millisecond)
		}
		return &plan.Refusal{Since: w.now, Words: "is forbidden", Nodes: at}
	}
	w.Refused = refused("n0")
	g.Expect(created(w.pass())).To(Equal([]string{"n1"}), "RECOVERY-006: n0 keeps no other from its pod")
	w.Refused = refused("n1", "n2", "n0")
	g.Expect(created(w.pass())).To(Equal([]string{"n1"}), "RECOVERY-006: it keeps trying, with the one whose last attempt is the longest ago")

	w.now = w.now.Add(time.Minute)
	w.pass()
	g.Expect(w.stalled()).To(HaveValue(HaveField("Message", "the pod for node n0 cannot be created: is forbidden")), "COND-001")
	w.Refused = refused("n2", "n0", "n1")
	g.Expect(created(w.pass())).To(Equal([]string{"n2"}))
	g.Expect(w.pass().Status).To(BeNil(), "STATUS-012: whose turn it is does not change the status")
}

func TestARolloutWhosePodsAreNotDeletedIsStalled(t *testing.T) {
	for name, surges := range map[string]bool{"rolling": false, "surging": true} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.pods(w.ready())
			if surges {
				w.surging("1")
			}
			w.update("v2")
			if surges {
				w.pod("n0", w.ready())
			}
			w.RefusedDeletions = map[string]plan.Refusal{"n0": {Since: w.now.Add(-time.Second), Words: "is forbidden"}}
			actions := w.pass()
			g.Expect(w.stalled()).To(BeNil(), "COND-001: it may be over in a moment")
			g.Expect(actions.RequeueAfter).To(Equal(plan.RefusalGrace - time.Second))

			w.now = w.now.Add(time.Minute)
			actions = w.pass()
			g.Expect(deleted(actions)).To(HaveLen(1), "RECOVERY-014: it keeps trying")
			g.Expect(w.stalled()).To(HaveValue(And(
				HaveField("Status", corev1.ConditionTrue), HaveField("Reason", plan.StalledDeletionRefused),
				HaveField("Message", ContainSubstring("on node n0 cannot be deleted: is forbidden")))), "COND-001")
			g.Expect(actions.Events).To(ContainElement(HaveField("Reason", plan.EventRolloutStalled)), "COND-002")

			w.RefusedDeletions = nil
			w.pass()
			g.Expect(w.stalled()).To(HaveValue(HaveField("Status", corev1.ConditionFalse)), "COND-003")
		})
	}
}

func TestAPodThatStaysOnANodeWhichMustNotRunItStallsNoRollout(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.pod("n0", w.ready())
	w.pod("n1", waiting("ImagePullBackOff"))
	w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoExecute)
	w.RefusedDeletions = map[string]plan.Refusal{"n0": {Since: w.now.Add(-time.Minute), Words: "is forbidden"}}
	g.Expect(deleted(w.pass())).To(HaveLen(1), "TARGET-002: it keeps trying")
	g.Expect(w.stalled()).To(HaveValue(And(HaveField("Reason", plan.StalledImagePull),
		HaveField("Message", And(ContainSubstring("node n1"), Not(ContainSubstring("more nodes")))))), "COND-001")
}

func TestARefusedDeletionIsAStallWhileTheNextAttemptWaits(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.surging("1")
	w.pods(w.ready(), ended(corev1.PodFailed))
	w.update("v2")
	w.Backoff = map[string]plan.Backoff{"n0": {Delay: 10 * time.Minute, Last: w.now}}
	w.now = w.now.Add(time.Minute)
	actions := w.pass()
	g.Expect(actions.PutOff).To(BeEmpty(), "nothing was refused")
	g.Expect(w.stalled()).To(BeNil(), "COND-001: it goes on when the pod is replaced")

	w.RefusedDeletions = map[string]plan.Refusal{"n0": {Since: w.now.Add(-time.Minute), Words: "is forbidden"}}
	actions = w.pass()
	g.Expect(deleted(actions)).To(BeEmpty(), "TARGET-010")
	g.Expect(actions.PutOff).To(HaveExactElements(HaveField("Node", "n0")))
	g.Expect(w.stalled()).To(HaveValue(And(HaveField("Status", corev1.ConditionTrue), HaveField("Reason", plan.StalledDeletionRefused))), "COND-001")
}

func TestARefusalIsNoStallWhileAnotherPodIsStarting(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("2")
	w.pods(w.ready())
	w.update("v2")
	w.pod("n0", createdAgo(w, time.Second))
	w.Refused = &plan.Refusal{Since: w.now.Add(-time.Minute), Words: "is forbidden"}
	w.pass()
	g.Expect(w.stalled()).To(BeNil(), "COND-001: it goes on when that is available")
}
