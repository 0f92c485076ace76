package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestAvailability(t *testing.T) {
	zero := func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	w := newWorld(t, 1)
	for name, c := range map[string]struct {
		minReadySeconds int32
		pod             []func(*corev1.Pod)
		want            bool
	}{
		"Ready just now, none required":        {0, []func(*corev1.Pod){w.readyFor(0)}, true},
		"Ready a second less than required":    {10, []func(*corev1.Pod){w.readyFor(9 * time.Second)}, false},
		"Ready for exactly as long":            {10, []func(*corev1.Pod){w.readyFor(10 * time.Second)}, true},
		"Ready a second more":                  {10, []func(*corev1.Pod){w.readyFor(11 * time.Second)}, true},
		"Ready since the future":               {10, []func(*corev1.Pod){w.readyFor(-5 * time.Second)}, false},
		"Ready since nobody knows when":        {10, []func(*corev1.Pod){zero}, false},
		"the same, none required":              {0, []func(*corev1.Pod){zero}, true},
		"Ready long ago, terminating":          {0, []func(*corev1.Pod){w.ready(), w.terminating()}, false},
		"Ready long ago, failed since":         {0, []func(*corev1.Pod){w.ready(), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }}, false},
		"not Ready":                            {0, nil, false},
		"Ready by a condition that says false": {0, []func(*corev1.Pod){w.ready(), func(p *corev1.Pod) { p.Status.Conditions[0].Status = "False" }}, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := w.pod("n0", c.pod...)
			NewWithT(t).Expect(plan.IsAvailable(pod, c.minReadySeconds, w.now)).To(Equal(c.want), "AVAIL-001 to AVAIL-003, AVAIL-006")
		})
	}
}

// The timer must come from what exists, whichever pod it is: a controller that has just started knows nothing else.
func TestComesBackWhenTheNextPodBecomesAvailable(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(w *world)
		want    time.Duration
	}{
		"nothing to wait for": {func(w *world) { w.pod("n0", w.ready()) }, 0},
		"old pod":             {func(w *world) { w.pod("n0", w.readyFor(3*time.Second)); w.update("v2") }, 7 * time.Second},
		"updated pod beside an available old one": {func(w *world) {
			w.pod("n0", w.ready())
			w.update("v2")
			w.pod("n0", w.readyFor(4*time.Second))
		}, 6 * time.Second},
		"the first of several": {func(w *world) {
			w.pod("n0", w.readyFor(4*time.Second))
			w.pod("n1", w.readyFor(9*time.Second))
		}, time.Second},
		"node clock ahead":         {func(w *world) { w.pod("n0", w.readyFor(-5*time.Second)) }, 15 * time.Second},
		"terminating: no need":     {func(w *world) { w.pod("n0", w.readyFor(0), w.terminating()) }, 0},
		"at the very last instant": {func(w *world) { w.pod("n0", w.readyFor(10*time.Second-time.Nanosecond)) }, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 2)
			w.surging("1")
			w.DaemonSet.Spec.MinReadySeconds = 10
			c.arrange(w)
			NewWithT(t).Expect(w.plan().RequeueAfter).To(Equal(c.want), "AVAIL-005, RECOVERY-003, RECOVERY-004")
		})
	}
}

func TestPlanIsPure(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 6)
	w.surging("2")
	w.pods(w.ready())
	w.Pods[0].OwnerReferences = nil
	ended(corev1.PodFailed)(w.Pods[1])
	w.pod("n2")
	w.update("v2")
	w.pod("n3", w.ready())
	delete(w.Revisions[0].Labels, plan.HashLabel)
	w.Backoff = map[string]plan.Backoff{}

	var before []any
	before = append(before, w.DaemonSet.DeepCopy())
	for _, pod := range w.Pods {
		before = append(before, pod.DeepCopy())
	}
	for _, revision := range w.Revisions {
		before = append(before, revision.DeepCopy())
	}
	first := w.plan()
	after := []any{w.DaemonSet}
	for _, pod := range w.Pods {
		after = append(after, pod)
	}
	for _, revision := range w.Revisions {
		after = append(after, revision)
	}
	g.Expect(after).To(Equal(before), "it changes nothing that it is given")
	g.Expect(w.Backoff).To(BeEmpty(), "it changes nothing that it is given")
	g.Expect(first.DeletePods).NotTo(BeEmpty())

	for i, j := 0, len(w.Pods)-1; i < j; i, j = i+1, j-1 {
		w.Pods[i], w.Pods[j] = w.Pods[j], w.Pods[i]
	}
	g.Expect(w.plan()).To(Equal(first), "the order of the pods that it is given does not matter")
}

func TestAnInvalidDaemonSetIsLeftAlone(t *testing.T) {
	for name, selector := range map[string]*metav1.LabelSelector{
		"selects everything": {},
		"cannot be parsed":   {MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "nonsense"}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.DaemonSet.Spec.Selector = selector
			actions := w.plan()
			g.Expect(actions.Err).To(MatchError(ContainSubstring("spec.selector")))
			actions.Err = nil
			g.Expect(actions).To(BeZero())
		})
	}
	t.Run("limit that is neither number nor percentage", func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t, 1)
		w.surging("many")
		g.Expect(w.plan().Err).To(MatchError(ContainSubstring("maxSurge")))
	})
}
