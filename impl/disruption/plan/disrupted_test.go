package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

func TestAnEvictedPodIsNotHealthyUntilItIsSeenToGo(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(w *world, pod *corev1.Pod)
		granted time.Duration
		healthy int32
		listed  bool
		again   time.Duration
	}{
		"PDB-012, PDB-013 still there":           {func(*world, *corev1.Pod) {}, 10 * time.Second, 1, true, 110 * time.Second},
		"PDB-012 terminating":                    {func(_ *world, pod *corev1.Pod) { terminating(pod) }, 10 * time.Second, 1, false, 0},
		"PDB-016 gone":                           {gone, 10 * time.Second, 1, false, 0},
		"PDB-014 not deleted":                    {func(*world, *corev1.Pod) {}, 2 * time.Minute, 2, false, 0},
		"PDB-014 a second before that":           {func(*world, *corev1.Pod) {}, 2*time.Minute - time.Second, 1, true, time.Second},
		"not selected any more":                  {func(_ *world, pod *corev1.Pod) { unlabelled(pod) }, 10 * time.Second, 1, false, 0},
		"another one of that name":               {func(_ *world, pod *corev1.Pod) { pod.CreationTimestamp = metav1.NewTime(ago(9 * time.Second)) }, 10 * time.Second, 1, true, 110 * time.Second},
		"granted by a clock that is ahead of us": {func(*world, *corev1.Pod) {}, -10 * time.Second, 1, true, 130 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(minAvailable("1"))
			w.pod()
			pod := w.pod()
			w.evicted(pod.Name, ago(c.granted))
			c.change(w, pod)
			before := w.Budget.DeepCopy()
			actions := plan.Plan(w.State, now)
			g.Expect(w.Budget).To(Equal(before), "the plan changes nothing itself")
			status := w.status(t)
			g.Expect(status.CurrentHealthy).To(Equal(c.healthy), "PDB-013")
			_, listed := status.DisruptedPods[pod.Name]
			g.Expect(listed).To(Equal(c.listed), "PDB-012")
			g.Expect(actions.RequeueAfter).To(Equal(c.again), "PDB-015")
		})
	}
}

func gone(w *world, _ *corev1.Pod) { w.Pods = w.Pods[:1] }

func TestAPodThatIsNotDeletedIsTold(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(minAvailable("1"))
	pod := w.pod()
	w.evicted(pod.Name, ago(3*time.Minute))
	w.evicted("gone", ago(3*time.Minute))
	actions := w.plan(t)
	g.Expect(reasons(actions)).To(Equal([]string{plan.EventNotDeleted}), "PDB-014")
	g.Expect(actions.Events[0].Pod).To(Equal(pod))
	g.Expect(actions.Events[0].Message).To(ContainSubstring("ns/budget"))
	g.Expect(w.plan(t).Status).To(BeNil())
}

func TestTheNextEntryToExpireSetsTheTimer(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(minAvailable("1"))
	for _, seconds := range []time.Duration{50, 70, 60} {
		w.evicted(w.pod().Name, ago(seconds*time.Second))
	}
	g.Expect(w.plan(t).RequeueAfter).To(Equal(50*time.Second), "PDB-015")
	g.Expect(w.plan(t).RequeueAfter).To(Equal(50*time.Second), "PDB-015: also where nothing is written")
}
