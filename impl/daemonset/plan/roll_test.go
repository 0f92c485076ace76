package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestMaxUnavailableRoundsUp(t *testing.T) {
	for name, c := range map[string]struct {
		nodes       int
		unavailable string
		want        int
	}{
		"absolute":                  {10, "4", 4},
		"25% of 10 is 3":            {10, "25%", 3},
		"30% of 7 is 3":             {7, "30%", 3},
		"1% of 3 is at least 1":     {3, "1%", 1},
		"100% takes all at once":    {7, "100%", 7},
		"more than there are nodes": {3, "10", 3},
		"both knobs zero means one": {3, "0", 1},
		"no eligible node":          {0, "1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, c.nodes)
			w.rolling(intstr.FromInt32(0), intstr.Parse(c.unavailable))
			w.pods(w.ready())
			w.update("v2")
			actions := w.plan()
			g.Expect(actions.DeletePods).To(HaveLen(c.want), "ROLLING-003, ROLLING-014")
			g.Expect(created(actions)).To(BeEmpty(), "ROLLING-013")
		})
	}
}

// Four nodes, maxUnavailable 2, minReadySeconds 10; n2 and n3 have available old pods.
func TestBudgetOfARollingUpdate(t *testing.T) {
	nothing := func(*world) {}
	for name, c := range map[string]struct {
		old, updated   func(w *world)
		create, delete []string
	}{
		"nodes without a pod use it up": {
			nothing, nothing, []string{"n0", "n1"}, none()},
		"pods on their way out use it up, and are not replaced yet": {
			func(w *world) { w.pod("n0", w.ready(), w.terminating()); w.pod("n1", w.ready(), w.terminating()) }, nothing,
			none(), none()},
		"updated pods that are not Ready use it up": {
			nothing, func(w *world) { w.pod("n0"); w.pod("n1") }, none(), none()},
		"updated pods within minReadySeconds use it up": {
			nothing, func(w *world) { w.pod("n0", w.readyFor(9*time.Second)); w.pod("n1", w.readyFor(9*time.Second)) }, none(), none()},
		"one available, one not: one more goes": {
			nothing, func(w *world) { w.pod("n0", w.readyFor(10*time.Second)); w.pod("n1") }, none(), []string{"v1-n2-1"}},
		"old pods that are not Ready go first, and leave nothing for healthy ones": {
			func(w *world) { w.pod("n0"); w.pod("n1", pending) }, nothing, none(), []string{"v1-n0-3", "v1-n1-4"}},
		"one old pod that is not Ready: it, and one healthy": {
			func(w *world) { w.pod("n0") }, func(w *world) { w.pod("n1", w.ready()) }, none(), []string{"v1-n0-3", "v1-n2-1"}},
		"a fix gets past updated pods that broke and used up the budget": {
			func(w *world) { w.pod("n0"); w.pod("n1"); w.update("v1-broken") }, nothing, none(), []string{"v1-n0-3", "v1-n1-4"}},
		"an old pod that failed is cleaned up and uses up one": {
			func(w *world) { w.pod("n0", ended(corev1.PodFailed)) }, func(w *world) { w.pod("n1", w.ready()) },
			none(), []string{"v1-n0-3", "v1-n2-1"}},
		"a failed pod that somebody is deleting is as good as gone": {
			func(w *world) { w.pod("n0", ended(corev1.PodFailed), w.terminating()) }, func(w *world) { w.pod("n1", w.ready()) },
			[]string{"n0"}, []string{"v1-n2-1"}},
		"a repelling node without a pod does not count": {
			func(w *world) { w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule) }, func(w *world) { w.pod("n1") },
			none(), []string{"v1-n2-1"}},
		"a node that is gone does not count, whatever its pod is": {
			func(w *world) { w.pod("n0"); w.Nodes = w.Nodes[1:] }, func(w *world) { w.pod("n1") }, none(), []string{"v1-n2-1"}},
		"a pod that waits for a node that is gone goes too": {
			func(w *world) { w.pod("n0", pending); w.Nodes = w.Nodes[1:] }, func(w *world) { w.pod("n1", w.ready()) },
			none(), []string{"v1-n0-3", "v1-n2-1", "v1-n3-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 4)
			w.rolling(intstr.FromInt32(0), intstr.FromInt32(2))
			w.DaemonSet.Spec.MinReadySeconds = 10
			w.pod("n2", w.ready())
			w.pod("n3", w.ready())
			c.old(w)
			w.update("v2")
			c.updated(w)
			actions := w.plan()
			g.Expect(created(actions)).To(Equal(c.create), "created")
			g.Expect(deleted(actions)).To(Equal(c.delete), "deleted")
		})
	}
}

// n0 repels pods but keeps what it has, which nothing replaces; the eligible ones among the others have available pods.
func TestOldPodOnARepellingNodeIsRetired(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		old   func(w *world)
		want  []string
	}{
		"no node is eligible: it goes": {
			1, func(*world) {}, []string{"v1-n0-1"}},
		"another node is updated in this pass: it stays, to make up for that one": {
			3, func(*world) {}, []string{"v1-n1-2"}},
		"another node is without an available pod: it stays, to make up for that one": {
			2, func(w *world) { w.Pods = w.Pods[:1] }, none()},
		"all others are updated: it goes": {
			2, func(w *world) { w.Pods = w.Pods[:1]; w.update("v2"); w.pod("n1", w.ready()) }, []string{"v1-n0-1"}},
		"another one of its kind makes up for the node without an available pod: it goes": {
			3, func(w *world) { w.Pods = w.Pods[:2]; w.Nodes[1].Spec.Taints = taint(corev1.TaintEffectNoSchedule) }, []string{"v1-n0-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, c.nodes)
			w.rolling(intstr.FromInt32(0), intstr.FromString("25%"))
			w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule)
			w.pods(w.ready())
			c.old(w)
			if w.version() == "v1" {
				w.update("v2")
			}
			g.Expect(deleted(w.plan())).To(Equal(c.want), "ROLLING-001, SURGE-017")
		})
	}
}

func TestOldPodsWithinMinReadySecondsAreNotAllTakenDownAtOnce(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 6)
	w.rolling(intstr.FromInt32(0), intstr.FromInt32(2))
	w.DaemonSet.Spec.MinReadySeconds = 60
	w.pods(w.readyFor(time.Second))
	w.update("v2")
	g.Expect(w.plan().DeletePods).To(HaveLen(2), "ROLLING-008: they are Ready, and perhaps all there is")
	w.pod("n0")
	w.Pods = w.Pods[1:]
	g.Expect(deleted(w.plan())).To(Equal([]string{"v1-n1-2"}), "the updated pod that is not Ready takes one of the two")
}

func TestExactlyOneCreateAndDeletePerNode(t *testing.T) {
	for name, surge := range map[string]int32{"maxUnavailable": 0, "maxSurge": 2} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 7)
			w.rolling(intstr.FromInt32(surge), intstr.FromInt32(2-surge))
			w.pods(w.ready())
			w.update("v2")
			creates, deletes := 0, 0
			for pass := 0; ; pass++ {
				g.Expect(pass).To(BeNumerically("<", 100), "it has to come to an end")
				actions := w.plan()
				if len(actions.CreatePods)+len(actions.DeletePods) == 0 {
					break
				}
				for _, d := range actions.DeletePods {
					w.Pods = without(w.Pods, d.Pod)
					deletes++
				}
				for _, c := range actions.CreatePods {
					w.pod(c.Node, w.ready())
					creates++
				}
				g.Expect(w.availableNodes()).To(BeNumerically(">=", 5+surge))
			}
			g.Expect([]int{creates, deletes, len(w.Pods)}).To(Equal([]int{7, 7, 7}), "ROLLING-018, SURGE-023, SURGE-011")
		})
	}
}

func without(pods []*corev1.Pod, gone *corev1.Pod) []*corev1.Pod {
	var rest []*corev1.Pod
	for _, pod := range pods {
		if pod != gone {
			rest = append(rest, pod)
		}
	}
	return rest
}

func (w *world) availableNodes() int {
	nodes := map[string]bool{}
	for _, pod := range w.Pods {
		if plan.IsAvailable(pod, w.DaemonSet.Spec.MinReadySeconds, w.now) {
			nodes[pod.Spec.NodeName] = true
		}
	}
	return len(nodes)
}

func TestBurst(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 600)
	g.Expect(w.plan().CreatePods).To(HaveLen(plan.Burst), "ROLLING-020")
	w.pods(w.ready())
	w.rolling(intstr.FromInt32(0), intstr.FromString("100%"))
	w.update("v2")
	g.Expect(w.plan().DeletePods).To(HaveLen(plan.Burst), "ROLLING-020")
}

func TestChangesOutsideTheTemplateRestartNothing(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.pods(w.ready())
	w.DaemonSet.Generation++
	w.DaemonSet.Labels = map[string]string{"new": "label"}
	w.DaemonSet.Spec.MinReadySeconds = 3600
	actions := w.plan()
	g.Expect(created(actions)).To(BeEmpty(), "ROLLING-015")
	g.Expect(deleted(actions)).To(BeEmpty(), "ROLLING-015")
	g.Expect(actions.CreateRevision).To(BeNil(), "HISTORY-004")
}
