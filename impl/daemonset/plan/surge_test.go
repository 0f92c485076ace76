package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestSurgeCreatesFirstAndRoundsUp(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		surge string
		want  int
	}{
		"absolute":                         {10, "4", 4},
		"more than there are nodes":        {3, "10", 3},
		"25% of 10 is 3":                   {10, "25%", 3},
		"30% of 7 is 3":                    {7, "30%", 3},
		"1% of 3 is at least 1":            {3, "1%", 1},
		"100% of 1":                        {1, "100%", 1},
		"50% of 4 needs no rounding":       {4, "50%", 2},
		"a percentage of nothing is quiet": {0, "50%", 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, c.nodes)
			w.surging(c.surge)
			w.pods(w.ready())
			w.update("v2")
			actions := w.plan()
			g.Expect(actions.CreatePods).To(HaveLen(c.want), "SURGE-001, SURGE-003, SURGE-005, SURGE-019")
			g.Expect(deleted(actions)).To(BeEmpty(), "SURGE-001: nothing is deleted first")
			for _, creation := range actions.CreatePods {
				g.Expect(creation.Hash).To(Equal(w.hash()), "UNREADY-006")
				g.Expect(plan.TargetNode(creation.Pod)).To(Equal(creation.Node), "SURGE-026")
			}
		})
	}
}

func TestSurgeDenominatorIsEligibleNodes(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 10)
	w.surging("25%")
	w.pods(w.ready())
	for _, node := range w.Nodes[:6] {
		node.Spec.Taints = taint(corev1.TaintEffectNoExecute)
	}
	w.update("v2")
	g.Expect(created(w.plan())).To(Equal([]string{"n6"}), "SURGE-004: 25% of 4, not of 10")
}

// A node of a surge rollout with maxSurge 1, in each of the ways that it can look, beside a healthy one that waits.
func TestSurgeOnOneNode(t *testing.T) {
	type set struct {
		create, delete []string
	}
	const waits = "n1" // the other node, which surges if a slot is free
	for name, c := range map[string]struct {
		arrange func(w *world)
		want    set
	}{
		"updated pod is not available: wait, and the slot is taken": {
			func(w *world) { w.pod("n0", w.ready()); w.update("v2"); w.pod("n0") }, set{none(), none()}},
		"updated pod is Ready but within minReadySeconds: wait": {
			func(w *world) {
				w.DaemonSet.Spec.MinReadySeconds = 10
				w.pod("n0", w.ready())
				w.update("v2")
				w.pod("n0", w.readyFor(9*time.Second))
			}, set{none(), none()}},
		"updated pod is available: the old one goes": {
			func(w *world) {
				w.DaemonSet.Spec.MinReadySeconds = 10
				w.pod("n0", w.ready())
				w.update("v2")
				w.pod("n0", w.readyFor(10*time.Second))
			}, set{[]string{waits}, []string{"v1-n0-2"}}},
		"old pod is not Ready: updated pod at once, without a slot": {
			func(w *world) { w.pod("n0"); w.update("v2") }, set{[]string{"n0"}, none()}},
		"old pod is Ready but within minReadySeconds: updated pod at once, without a slot": {
			func(w *world) {
				w.DaemonSet.Spec.MinReadySeconds = 10
				w.pod("n0", w.readyFor(time.Second))
				w.update("v2")
			}, set{[]string{"n0"}, none()}},
		"old pod within minReadySeconds beside an unavailable updated one: both stay, no slot": {
			func(w *world) {
				w.DaemonSet.Spec.MinReadySeconds = 10
				w.pod("n0", w.readyFor(time.Second))
				w.update("v2")
				w.pod("n0")
			}, set{[]string{waits}, none()}},
		"neither is Ready: the updated one stays": {
			func(w *world) { w.pod("n0"); w.update("v2"); w.pod("n0") }, set{[]string{waits}, []string{"v1-n0-2"}}},
		"old pod terminates: updated pod at once": {
			func(w *world) { w.pod("n0", w.ready(), w.terminating()); w.update("v2") }, set{[]string{"n0", waits}, none()}},
		"updated pod terminates beside an available old one: the slot is this node's": {
			func(w *world) { w.pod("n0", w.ready()); w.update("v2"); w.pod("n0", w.terminating()) }, set{[]string{"n0"}, none()}},
		"no pod at all: updated pod at once": {
			func(w *world) { w.update("v2") }, set{[]string{"n0", waits}, none()}},
		"updated pod alone and not Ready: nothing": {
			func(w *world) { w.update("v2"); w.pod("n0") }, set{[]string{waits}, none()}},
		"old pod failed: it goes first, its replacement comes when it is gone": {
			func(w *world) { w.pod("n0", ended(corev1.PodFailed)); w.update("v2") }, set{[]string{waits}, []string{"v1-n0-2"}}},
		"updated pod failed beside an available old one: the slot stays taken": {
			func(w *world) {
				w.pod("n0", w.ready())
				w.update("v2")
				w.pod("n0", ended(corev1.PodFailed))
			}, set{none(), []string{"v2-n0-3"}}},
		"updated again: the broken updated pod goes, the available old one stays": {
			func(w *world) { w.pod("n0", w.ready()); w.update("v2"); w.pod("n0"); w.update("v3") },
			set{[]string{waits}, []string{"v2-n0-3"}}},
		"updated again: of two old pods the available one stays, though younger": {
			func(w *world) { w.pod("n0"); w.update("v2"); w.pod("n0", w.ready()); w.update("v3") },
			set{[]string{waits}, []string{"v1-n0-2"}}},
		"two updated pods: the older one stays": {
			func(w *world) { w.pod("n0", w.ready()); w.update("v2"); w.pod("n0"); w.pod("n0") },
			set{none(), []string{"v2-n0-4"}}},
		"cordoned: no difference": {
			func(w *world) {
				w.pod("n0")
				w.update("v2")
				w.Nodes[0].Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
			}, set{[]string{"n0"}, none()}},
		"repelling node, available old pod: it stays while nothing replaces it": {
			func(w *world) {
				w.pod("n0", w.ready())
				w.update("v2")
				w.Pods[0] = notReadyCopy(w.Pods[0])
				w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule)
			}, set{[]string{waits}, none()}},
		"repelling node, available old pod, all others available: it goes": {
			func(w *world) {
				w.pod("n0", w.ready())
				w.update("v2")
				w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule)
			}, set{[]string{waits}, []string{"v1-n0-2"}}},
		"repelling node, unavailable old pod: it goes, nothing comes": {
			func(w *world) {
				w.pod("n0")
				w.update("v2")
				w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule)
			}, set{[]string{waits}, []string{"v1-n0-2"}}},
		"repelling node holds a slot with a pod that may never start: it is given up": {
			func(w *world) {
				w.pod("n0", w.ready())
				w.update("v2")
				w.pod("n0", pending)
				w.Pods[0] = notReadyCopy(w.Pods[0])
				w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule)
			}, set{[]string{waits}, []string{"v2-n0-3"}}},
		"evicting node: the pod goes": {
			func(w *world) {
				w.pod("n0", w.ready())
				w.update("v2")
				w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoExecute)
			}, set{[]string{waits}, []string{"v1-n0-2"}}},
		"the node object is gone: the other one goes on": {
			func(w *world) { w.pod("n0", w.ready()); w.update("v2"); w.Nodes = w.Nodes[1:] }, set{[]string{waits}, none()}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 2)
			w.surging("1")
			w.pod(waits, w.ready())
			c.arrange(w)
			actions := w.plan()
			g.Expect(set{created(actions), deleted(actions)}).To(Equal(c.want))
		})
	}
}

func notReadyCopy(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	notReady(pod)
	return pod
}

func TestNoSurgeWithoutAnUpdate(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("100%")
	w.pods(w.ready())
	first := w.plan()
	g.Expect(created(first)).To(BeEmpty(), "SURGE-014")
	w.DaemonSet.Status = *first.Status
	g.Expect(w.plan()).To(Equal(plan.Actions{}), "SURGE-025: it settles")
}

func TestAllOldPodsUnreadyAreReplacedAtOnce(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 5)
	w.surging("1")
	w.pods()
	w.update("v2")
	g.Expect(w.plan().CreatePods).To(HaveLen(5), "UNREADY-009")
}

func TestLoweringMaxSurgeBelowWhatIsInUse(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 4)
	w.pods(w.ready())
	w.update("v2")
	for _, node := range []string{"n0", "n1", "n2"} {
		w.pod(node)
	}
	w.surging("1")
	actions := w.plan()
	g.Expect(created(actions)).To(BeEmpty(), "SURGE-020: creates none")
	g.Expect(deleted(actions)).To(BeEmpty(), "SURGE-020: deletes none")
	w.surging("4")
	g.Expect(created(w.plan())).To(Equal([]string{"n3"}), "SURGE-020: raising it takes effect at once")
}

func TestSwitchingSurgeOffInMidSurge(t *testing.T) {
	for name, c := range map[string]struct {
		old, updated func(w *world) func(*corev1.Pod)
		goes         string
	}{
		"old available, updated not":            {(*world).ready, func(*world) func(*corev1.Pod) { return notReady }, "v2-n0-2"},
		"both available":                        {(*world).ready, (*world).ready, "v1-n0-1"},
		"neither":                               {func(*world) func(*corev1.Pod) { return notReady }, func(*world) func(*corev1.Pod) { return notReady }, "v1-n0-1"},
		"updated available, old not":            {func(*world) func(*corev1.Pod) { return notReady }, (*world).ready, "v1-n0-1"},
		"old Ready for a moment, updated never": {func(w *world) func(*corev1.Pod) { return w.readyFor(0) }, func(*world) func(*corev1.Pod) { return notReady }, "v2-n0-2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.DaemonSet.Spec.MinReadySeconds = 5
			w.pod("n0", c.old(w))
			w.update("v2")
			w.pod("n0", c.updated(w))
			actions := w.plan()
			g.Expect(deleted(actions)).To(Equal([]string{c.goes}), "SURGE-021")
			g.Expect(created(actions)).To(BeEmpty())
		})
	}
}

func TestBothKnobsAreHonouredAtOnce(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 10)
	w.rolling(intstr.FromInt32(2), intstr.FromInt32(3))
	w.pods(w.ready())
	w.update("v2")
	actions := w.plan()
	g.Expect(created(actions)).To(Equal([]string{"n0", "n1"}), "API-006: maxSurge")
	g.Expect(deleted(actions)).To(HaveLen(3), "API-006: maxUnavailable")
}

func TestOnDeleteIgnoresTheUpdateAndMaxSurge(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("2")
	w.DaemonSet.Spec.UpdateStrategy.Type = "OnDelete"
	w.pod("n0", w.ready())
	w.pod("n1", w.ready(), w.terminating())
	w.update("v2")
	actions := w.plan()
	g.Expect(deleted(actions)).To(BeEmpty(), "ONDELETE-001")
	g.Expect(created(actions)).To(Equal([]string{"n2"}), "SURGE-015: no overlap with the pod that terminates on n1")
	g.Expect(actions.CreatePods[0].Hash).To(Equal(w.hash()), "ONDELETE-002")
}
