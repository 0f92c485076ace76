package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func orphan(pod *corev1.Pod)    { pod.OwnerReferences = nil }
func unselect(pod *corev1.Pod)  { pod.Labels["app"] = "debug" }
func foreigner(pod *corev1.Pod) { pod.OwnerReferences[0].UID = "somebody-else" }
func elsewhere(pod *corev1.Pod) { pod.Namespace = "other" }

func TestClaiming(t *testing.T) {
	for name, c := range map[string]struct {
		change         []func(*corev1.Pod)
		adopt, release bool
		create         []string
	}{
		"its own pod":                      {nil, false, false, none()},
		"an orphan that is selected":       {[]func(*corev1.Pod){orphan}, true, false, none()},
		"an orphan that is not selected":   {[]func(*corev1.Pod){orphan, unselect}, false, false, []string{"n0"}},
		"an orphan in another namespace":   {[]func(*corev1.Pod){orphan, elsewhere}, false, false, []string{"n0"}},
		"its own that it does not select":  {[]func(*corev1.Pod){unselect}, false, true, []string{"n0"}},
		"somebody else's that it selects":  {[]func(*corev1.Pod){foreigner}, false, false, []string{"n0"}},
		"somebody else's, not selected":    {[]func(*corev1.Pod){foreigner, unselect}, false, false, []string{"n0"}},
		"an orphan that is on its way out": {[]func(*corev1.Pod){orphan, func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{} }}, false, false, []string{"n0"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.pod("n0", append([]func(*corev1.Pod){w.ready()}, c.change...)...)
			actions := w.plan()
			var patch plan.PodPatch
			for _, patch = range actions.PatchPods {
			}
			g.Expect([]bool{patch.Adopt, patch.Release}).To(Equal([]bool{c.adopt, c.release}), "adopt, release")
			g.Expect(created(actions)).To(Equal(c.create))
			g.Expect(deleted(actions)).To(BeEmpty(), "TARGET-003")
		})
	}
}

func TestRevisionsAreClaimedToo(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.update("v2")
	w.update("v3")
	w.Revisions[0].OwnerReferences = nil
	w.Revisions[1].Labels["app"] = "debug"
	w.Revisions[2].OwnerReferences[0].UID = "somebody-else"
	w.Revisions[2].Name = "other-revision"
	actions := w.plan()
	g.Expect(actions.UpdateRevisions).To(HaveLen(2))
	g.Expect(actions.UpdateRevisions[0].Adopt).To(BeTrue(), "HISTORY-014")
	g.Expect(metav1.IsControlledBy(actions.UpdateRevisions[0].Revision, w.DaemonSet)).To(BeTrue(), "HISTORY-014")
	g.Expect(actions.UpdateRevisions[1].Adopt).To(BeFalse())
	g.Expect(actions.UpdateRevisions[1].Revision.OwnerReferences).To(BeEmpty())
	g.Expect(actions.CreateRevision.Revision).To(Equal(int64(2)), "what is not its own does not count")
}

func TestOrphansBeyondTheLimitAreAdoptedBeforeTheyAreDeleted(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.DaemonSet.Spec.RevisionHistoryLimit = new(int32)
	w.update("v2")
	w.Revisions[0].OwnerReferences = nil
	actions := w.plan()
	g.Expect(actions.DeleteRevisions).To(BeEmpty())
	g.Expect(actions.UpdateRevisions).To(HaveLen(1))
}

func TestDaemonSetThatIsBeingDeletedIsLeftAlone(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.pod("n0", orphan)
	at := metav1.NewTime(w.now)
	w.DaemonSet.DeletionTimestamp = &at
	g.Expect(w.plan()).To(Equal(plan.Actions{}), "STATUS-015, HISTORY-015")
}
