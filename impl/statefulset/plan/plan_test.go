package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

func TestPodsAreCreatedInOrderOrAllAtOnce(t *testing.T) {
	g := NewWithT(t)
	g.Expect(newWorld(t, 3).pass().CreatePods).To(HaveLen(1))
	g.Expect(newWorld(t, 3, parallel).pass().CreatePods).To(HaveLen(3))
}

func TestAPodHasTheIdentityOfItsOrdinal(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1, func(set *appsv1.StatefulSet) {
		set.Spec.ServiceName = "peers"
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: 7}
		set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}}}
	})
	w.settle()
	pod := w.pods["db-7"]
	g.Expect(pod).NotTo(BeNil())
	g.Expect(pod.Labels).To(And(HaveKeyWithValue(appsv1.StatefulSetPodNameLabel, "db-7"), HaveKeyWithValue(appsv1.PodIndexLabel, "7"),
		HaveKeyWithValue(plan.RevisionLabel, w.set.Status.UpdateRevision), HaveKeyWithValue("app", "db")))
	g.Expect(pod.Spec.Hostname + "." + pod.Spec.Subdomain).To(Equal("db-7.peers"))
	g.Expect(pod.Spec.Volumes).To(ConsistOf(HaveField("PersistentVolumeClaim.ClaimName", "data-db-7")))
	g.Expect(w.claims).To(HaveKey("data-db-7"))
	g.Expect(metav1.IsControlledBy(pod, w.set)).To(BeTrue())
}

func TestAnUpdateGoesDownToThePartition(t *testing.T) {
	for name, c := range map[string]struct {
		edits   []func(*appsv1.StatefulSet)
		patched bool
	}{
		"in place":                             {[]func(*appsv1.StatefulSet){inPlace}, true},
		"in place, parallel":                   {[]func(*appsv1.StatefulSet){inPlace, parallel}, true},
		"recreated":                            {nil, false},
		"recreated, parallel":                  {[]func(*appsv1.StatefulSet){parallel}, false},
		"in place, and the first ordinal said": {[]func(*appsv1.StatefulSet){inPlace, func(set *appsv1.StatefulSet) { set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{} }}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 3, c.edits...)
			w.settle()
			before := w.pods["db-2"].UID
			w.edit(partition(1), image("v2"))
			w.settle()
			g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v1"))
			g.Expect(w.pods["db-1"].Spec.Containers[0].Image).To(Equal("db:v2"))
			g.Expect(w.set.Status.CurrentRevision).NotTo(Equal(w.set.Status.UpdateRevision))
			g.Expect(w.set.Status.UpdatedReplicas).To(BeEquivalentTo(2))
			w.edit(partition(0))
			w.settle()
			g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v2"))
			g.Expect(w.set.Status.CurrentRevision).To(Equal(w.set.Status.UpdateRevision))
			same := Equal(before)
			if !c.patched {
				same = Not(same)
			}
			g.Expect(w.pods["db-2"].UID).To(same, "INPLACE-031")
		})
	}
}

func TestAPodBelowThePartitionIsCreatedAsBefore(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2, inPlace)
	w.settle()
	w.edit(partition(1), image("v2"))
	w.settle()
	delete(w.pods, "db-0")
	w.settle()
	g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v1"))
}

func TestAnythingElseIsRecreated(t *testing.T) {
	for name, edit := range map[string]func(*appsv1.StatefulSet){
		"environment": func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
		},
		"the policy is gone": func(set *appsv1.StatefulSet) { set.Annotations = nil },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1, inPlace)
			w.settle()
			before := w.pods["db-0"].UID
			w.edit(image("v2"), edit)
			w.settle()
			g.Expect(w.pods["db-0"].UID).NotTo(Equal(before), "INPLACE-032")
		})
	}
	g := NewWithT(t)
	w := newWorld(t, 1, inPlace)
	w.settle()
	w.edit(image("v2"), func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType })
	w.settle()
	g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v1"), "OnDelete")
}

func TestAnImageThatDoesNotStartIsRepairedInPlace(t *testing.T) {
	for name, edits := range map[string][]func(*appsv1.StatefulSet){"ordered": {inPlace}, "parallel": {inPlace, parallel}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 2, edits...)
			w.settle()
			before := w.pods["db-1"].UID
			w.edit(image("broken"))
			w.settle()
			g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v1"), "INPLACE-035")
			w.edit(image("v3"))
			w.settle()
			g.Expect(w.pods["db-0"].Spec.Containers[0].Image).To(Equal("db:v3"))
			g.Expect(w.pods["db-1"].UID).To(Equal(before))
		})
	}
}

func TestAnOldPodThatIsNotAvailableHoldsUpNoUpdate(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3, inPlace)
	w.settle()
	w.edit(image("broken"), partition(3))
	w.change("db-0", func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = corev1.ConditionFalse })
	w.edit(image("v3"), partition(0))
	w.pass()
	g.Expect(w.pods["db-2"].Spec.Containers[0].Image).To(Equal("db:v3"), "INPLACE-035")
}

func TestAContainerThatEndsOnceTheUpdateIsDoneHoldsUpNoOther(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2, inPlace, func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = 10 })
	w.settle()
	w.edit(image("v2"))
	w.settle()
	w.change("db-0", func(pod *corev1.Pod) { w.start(pod, pod.Status.ContainerStatuses[0].RestartCount+1) })
	w.pass()
	g.Expect(w.set.Status.AvailableReplicas).To(BeEquivalentTo(2), "AVAIL-001: it is Ready since its update")
	w.edit(image("v3"))
	w.pass()
	g.Expect(w.pods["db-1"].Spec.Containers[0].Image).To(Equal("db:v3"))
}

func TestALostPodThatWaitsForARepairHoldsUpNoUpdate(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 4)
	w.settle()
	w.edit(image("broken"))
	delete(w.pods, "db-1")
	w.settle()
	delete(w.pods, "db-3")
	w.settle()
	g.Expect(w.pods).NotTo(HaveKey("db-3"), "pods are created in order")
	w.edit(image("v3"))
	w.settle()
	g.Expect(w.pods).To(HaveLen(4))
	for name, pod := range w.pods {
		g.Expect(pod.Spec.Containers[0].Image).To(Equal("db:v3"), name)
	}
}

func TestHistoryIsBroughtBackAndShortened(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1, inPlace, func(set *appsv1.StatefulSet) { set.Spec.RevisionHistoryLimit = new(int32) })
	w.settle()
	first := w.set.Status.CurrentRevision
	w.edit(image("v2"), func(set *appsv1.StatefulSet) { *set.Spec.RevisionHistoryLimit = 1 })
	w.settle()
	w.edit(image("v1"))
	w.settle()
	g.Expect(w.set.Status.CurrentRevision).To(Equal(first), "INPLACE-034")
	g.Expect(w.revisions[first].Revision).To(BeEquivalentTo(3))
	g.Expect(w.revisions).To(HaveLen(2))
	w.edit(func(set *appsv1.StatefulSet) { *set.Spec.RevisionHistoryLimit = 0 })
	w.settle()
	g.Expect(w.revisions).To(HaveLen(1))
}

func TestPodsThatAreTooManyGo(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.settle()
	w.edit(func(set *appsv1.StatefulSet) { *set.Spec.Replicas = 1 })
	actions := w.pass()
	g.Expect(actions.DeletePods).To(ConsistOf(HaveField("Name", "db-2")))
	w.settle()
	g.Expect(w.pods).To(HaveLen(1))
	g.Expect(w.set.Status.Replicas).To(BeEquivalentTo(1))
}

func TestNothingIsPlannedForWhatIsDeleted(t *testing.T) {
	w := newWorld(t, 1)
	w.set.DeletionTimestamp = &metav1.Time{Time: w.now}
	NewWithT(t).Expect(w.plan()).To(Equal(plan.Actions{}))
}
