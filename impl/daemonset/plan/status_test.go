package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Each case is one node, in a surge update with minReadySeconds 10.
func TestStatusOfOneNode(t *testing.T) {
	type numbers struct{ desired, current, misscheduled, ready, available, updated int32 }
	for name, c := range map[string]struct {
		old, updated func(w *world)
		want         numbers
	}{
		"no pod":                                  {nil, nil, numbers{desired: 1}},
		"old pod available":                       {old(ready), nil, numbers{1, 1, 0, 1, 1, 0}},
		"old pod available, updated not Ready":    {old(ready), updated(notReadyYet), numbers{1, 1, 0, 1, 1, 1}},
		"old pod not Ready, updated available":    {old(notReadyYet), updated(ready), numbers{1, 1, 0, 1, 1, 1}},
		"updated within minReadySeconds":          {nil, updated(young), numbers{1, 1, 0, 1, 0, 1}},
		"updated available":                       {nil, updated(ready), numbers{1, 1, 0, 1, 1, 1}},
		"old pod Ready but terminating":           {old(ready, leaving), nil, numbers{1, 1, 0, 0, 0, 0}},
		"updated Ready but terminating, old well": {old(ready), updated(ready, leaving), numbers{1, 1, 0, 1, 1, 0}},
		"pod failed":                              {old(failed), nil, numbers{desired: 1}},
		"repelling node with an available pod":    {old(ready, repel), nil, numbers{misscheduled: 1}},
		"repelling node with a failed pod":        {old(failed, repel), nil, numbers{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.surging("1")
			w.DaemonSet.Spec.MinReadySeconds = 10
			if c.old != nil {
				c.old(w)
			}
			w.update("v2")
			if c.updated != nil {
				c.updated(w)
			}
			s := *w.plan().Status
			g.Expect(numbers{s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberMisscheduled, s.NumberReady, s.NumberAvailable, s.UpdatedNumberScheduled}).
				To(Equal(c.want), "STATUS-001 to STATUS-009")
			g.Expect(s.NumberUnavailable).To(Equal(s.DesiredNumberScheduled-s.NumberAvailable), "STATUS-007")
		})
	}
}

type change func(w *world, pod *corev1.Pod)

func ready(w *world, pod *corev1.Pod)        { w.ready()(pod) }
func notReadyYet(*world, *corev1.Pod)        {}
func young(w *world, pod *corev1.Pod)        { w.readyFor(9 * time.Second)(pod) }
func leaving(w *world, pod *corev1.Pod)      { w.terminating()(pod) }
func failed(_ *world, pod *corev1.Pod)       { ended(corev1.PodFailed)(pod) }
func repel(w *world, _ *corev1.Pod)          { w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule) }
func updated(changes ...change) func(*world) { return old(changes...) }
func old(changes ...change) func(*world) {
	return func(w *world) {
		pod := w.pod("n0")
		for _, c := range changes {
			c(w, pod)
		}
	}
}

func TestStatusKeepsWhatOthersWrote(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	foreign := appsv1.DaemonSetCondition{Type: "Theirs", Status: corev1.ConditionTrue}
	w.DaemonSet.Status.Conditions = []appsv1.DaemonSetCondition{foreign}
	g.Expect(w.plan().Status.Conditions).To(ConsistOf(foreign), "COND-005")
}

func TestStatusIsNotWrittenTwice(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.pods(w.ready())
	w.DaemonSet.Status = *w.plan().Status
	g.Expect(w.plan().Status).To(BeNil(), "STATUS-012")
}

func TestWhileOwnWritesAreNotVisibleOnlyStatusIsReported(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.DaemonSet.Spec.MinReadySeconds = 10
	w.pod("n0", w.readyFor(time.Second), orphan)
	w.DaemonSet.Generation = 7
	w.DaemonSet.Status.ObservedGeneration = 6
	w.DaemonSet.Spec.RevisionHistoryLimit = new(int32)
	w.AwaitingOwnWrites = true
	actions := w.plan()
	g.Expect(actions.Status.NumberReady).To(Equal(int32(1)))
	g.Expect(actions.Status.ObservedGeneration).To(Equal(int64(6)), "STATUS-010")
	g.Expect(actions.RequeueAfter).To(Equal(9 * time.Second))
	actions.Status, actions.RequeueAfter, actions.RolloutInProgress = nil, 0, false
	g.Expect(actions).To(BeZero())
}
