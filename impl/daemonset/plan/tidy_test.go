package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestFailedPodsAreRetriedWithBackoff(t *testing.T) {
	for name, surge := range map[string]string{"maxUnavailable": "0", "maxSurge": "100%"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			if surge != "0" {
				w.surging(surge)
			}
			w.Backoff = map[string]plan.Backoff{}
			delay := time.Duration(0)
			for attempt := range 14 {
				w.Pods = nil
				w.pod("n0", ended(corev1.PodFailed))
				if delay > 0 {
					w.now = w.now.Add(delay - time.Millisecond)
					early := w.plan()
					g.Expect(deleted(early)).To(BeEmpty(), "attempt %d: TARGET-010, SURGE-024", attempt)
					g.Expect(created(early)).To(BeEmpty(), "attempt %d: SURGE-024: not beside the failed one either", attempt)
					g.Expect(early.RequeueAfter).To(Equal(time.Millisecond), "attempt %d", attempt)
					w.now = w.now.Add(time.Millisecond)
				}
				actions := w.plan()
				g.Expect(actions.DeletePods).To(HaveLen(1), "attempt %d", attempt)
				g.Expect(actions.DeletePods[0].Reason).To(Equal(plan.ReasonFailed))
				g.Expect(actions.Events).To(HaveLen(1))
				g.Expect(actions.Events[0].Reason).To(Equal("FailedDaemonPod"), "COND-004")
				g.Expect(actions.Events[0].Type).To(Equal("Warning"), "COND-004")
				w.Backoff = actions.Backoff

				delay = min(max(2*delay, time.Second), 15*time.Minute)
				g.Expect(w.Backoff["n0"].Delay).To(Equal(delay), "TARGET-010")
			}
			g.Expect(delay).To(Equal(15 * time.Minute))
			w.now = w.now.Add(time.Hour)
			g.Expect(w.plan().Backoff["n0"].Delay).To(Equal(time.Second), "quiet for long: it starts again")
		})
	}
}

func TestBackoffOfOneNodeHoldsUpNoOther(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.pod("n0", ended(corev1.PodFailed))
	w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
	g.Expect(created(w.plan())).To(Equal([]string{"n1"}))
}

func TestSucceededPodsAreReplaced(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.pod("n0", ended(corev1.PodSucceeded))
	actions := w.plan()
	g.Expect(deleted(actions)).To(HaveLen(1))
	g.Expect(actions.Events[0].Reason).To(Equal("SucceededDaemonPod"), "COND-004")
	g.Expect(actions.Events[0].Type).To(Equal("Normal"), "COND-004")
	g.Expect(created(actions)).To(BeEmpty(), "not before it is gone: SURGE-010")
}

func TestEndedPodThatIsBeingDeletedDoesNotBlock(t *testing.T) {
	for _, phase := range []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded} {
		t.Run(string(phase), func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.pod("n0", ended(phase), w.terminating())
			g.Expect(created(w.plan())).To(Equal([]string{"n0"}), "DRAIN-007")
		})
	}
}

func TestTerminatingPodAndItsReplacement(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.pod("n0", w.ready(), w.terminating())
	g.Expect(created(w.plan())).To(BeEmpty(), "DRAIN-003: one after the other without surge")
	w.surging("1")
	g.Expect(created(w.plan())).To(Equal([]string{"n0"}), "DRAIN-002: overlapping with surge, rollout or not")
}

func TestOfTwoPodsOnANode(t *testing.T) {
	for name, c := range map[string]struct {
		first, second func(w *world) func(*corev1.Pod)
		goes          string
	}{
		"equal: the younger goes":                   {(*world).ready, (*world).ready, "v1-n0-2"},
		"only the younger available: the other":     {still(notReady), (*world).ready, "v1-n0-1"},
		"only the younger scheduled: the other":     {still(pending), still(notReady), "v1-n0-1"},
		"neither Ready: the younger goes":           {still(notReady), still(notReady), "v1-n0-2"},
		"the older within minReadySeconds: it goes": {func(w *world) func(*corev1.Pod) { return w.readyFor(0) }, (*world).ready, "v1-n0-1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.DaemonSet.Spec.MinReadySeconds = 5
			w.pod("n0", c.first(w))
			w.pod("n0", c.second(w))
			g.Expect(deleted(w.plan())).To(Equal([]string{c.goes}), "ROLLING-013")
			w.surging("1")
			g.Expect(deleted(w.plan())).To(Equal([]string{c.goes}), "SURGE-010")
		})
	}
}

func still(change func(*corev1.Pod)) func(*world) func(*corev1.Pod) {
	return func(*world) func(*corev1.Pod) { return change }
}
