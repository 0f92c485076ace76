package inplace_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// day is when the pods of these tests are started.
var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// at is a time so many seconds after day.
func at(seconds int) metav1.Time {
	return metav1.NewTime(day.Add(time.Duration(seconds) * time.Second))
}

// running is a pod with one container, Ready since day.
func running() *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", UID: "uid", Generation: 1},
		Spec:       corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "a", Image: "a:v1"}}},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, ObservedGeneration: 1,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at(0)}},
		},
	}
	start(pod, 0)
	return pod
}

// start has the pod's container start again, so many seconds after day; the pod stays Ready.
func start(pod *corev1.Pod, seconds int) {
	restarts := int32(0)
	if before := pod.Status.ContainerStatuses; len(before) > 0 {
		restarts = before[0].RestartCount + 1
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "a", Image: pod.Spec.Containers[0].Image, ContainerID: fmt.Sprint(restarts), RestartCount: restarts,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(seconds)}},
	}}
}

// update gives the pod the image in place.
func update(g Gomega, pod *corev1.Pod, image string, seconds int) {
	images := map[string]string{"a": image}
	record, err := inplace.RecordOf(pod, images, at(seconds).Time)
	g.Expect(err).NotTo(HaveOccurred())
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, inplace.Record, record)
	pod.Spec.Containers[0].Image = image
	pod.Generation++
}

// prove writes on the pod that its update is done, if that is due, and returns whether it was.
func prove(g Gomega, pod *corev1.Pod, seconds int) bool {
	proofs := inplace.Proofs([]*corev1.Pod{pod}, at(seconds).Time)
	if len(proofs) == 0 {
		return false
	}
	patch, err := proofs[0].Patch()
	g.Expect(err).NotTo(HaveOccurred())
	before, err := json.Marshal(pod)
	g.Expect(err).NotTo(HaveOccurred())
	after, err := strategicpatch.StrategicMergePatch(before, patch, pod)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.Unmarshal(after, pod)).To(Succeed())
	return true
}

// ready is the pod's Ready condition as it is believed so many seconds after day.
func ready(pod *corev1.Pod, seconds int) corev1.PodCondition {
	believed, _ := inplace.Believe(pod, at(seconds).Time)
	return believed.Status.Conditions[0]
}

func TestAContainerThatEndsAfterTheUpdateIsDonePutsNothingOff(t *testing.T) {
	g := NewWithT(t)
	pod := running()
	update(g, pod, "a:v2", 100)
	g.Expect(prove(g, pod, 101)).To(BeFalse(), "nothing has been restarted")
	pod.Status.ObservedGeneration = 2
	g.Expect(prove(g, pod, 102)).To(BeFalse(), "nothing has been restarted")
	start(pod, 103)
	g.Expect(prove(g, pod, 104)).To(BeTrue())
	g.Expect(prove(g, pod, 104)).To(BeFalse(), "it is written once")

	start(pod, 200)
	start(pod, 300)
	g.Expect(ready(pod, 300).Status).To(Equal(corev1.ConditionTrue), "AVAIL-001")
	g.Expect(ready(pod, 300).LastTransitionTime.Time).To(BeTemporally("==", at(103).Time), "AVAIL-001: it is Ready since the update was done")
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	g.Expect(ready(pod, 301).Status).To(Equal(corev1.ConditionTrue), "AVAIL-001: its kubelet says whether it is Ready")
	pod.Status.Conditions[0].LastTransitionTime = at(302)
	g.Expect(ready(pod, 303).LastTransitionTime.Time).To(BeTemporally("==", at(302).Time))
}

func TestAContainerThatEndsBeforeTheUpdateIsDoneProvesNothing(t *testing.T) {
	g := NewWithT(t)
	pod := running()
	update(g, pod, "a:v2", 100)
	start(pod, 101)
	start(pod, 102)
	g.Expect(prove(g, pod, 103)).To(BeFalse(), "INPLACE-013: its kubelet has not seen the update")
	g.Expect(ready(pod, 103).Status).To(Equal(corev1.ConditionFalse), "INPLACE-013")
}

func TestTheProofOfAnUpdateProvesNoOther(t *testing.T) {
	g := NewWithT(t)
	pod := running()
	update(g, pod, "a:v2", 100)
	pod.Status.ObservedGeneration = 2
	start(pod, 101)
	g.Expect(prove(g, pod, 102)).To(BeTrue())
	update(g, pod, "a:v3", 200)
	g.Expect(ready(pod, 201).Status).To(Equal(corev1.ConditionFalse), "INPLACE-013")
	pod.Status.ObservedGeneration = 3
	g.Expect(prove(g, pod, 202)).To(BeFalse())
	start(pod, 203)
	g.Expect(prove(g, pod, 204)).To(BeTrue())
	g.Expect(ready(pod, 204).LastTransitionTime.Time).To(BeTemporally("==", at(203).Time), "INPLACE-024")
}

func TestWhatCannotBeReadProvesNothing(t *testing.T) {
	g := NewWithT(t)
	pod := running()
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, inplace.Proof, "yes")
	g.Expect(inplace.Proofs([]*corev1.Pod{pod}, at(1).Time)).To(BeEmpty(), "it was not updated")
	update(g, pod, "a:v2", 100)
	g.Expect(ready(pod, 101).Status).To(Equal(corev1.ConditionFalse))
}

func TestAProofIsOfOnePodThatStays(t *testing.T) {
	g := NewWithT(t)
	pod := running()
	update(g, pod, "a:v2", 100)
	pod.Status.ObservedGeneration = 2
	start(pod, 101)
	proofs := inplace.Proofs([]*corev1.Pod{pod}, at(102).Time)
	g.Expect(proofs).To(HaveLen(1))
	patch, err := proofs[0].Patch()
	g.Expect(err).NotTo(HaveOccurred())
	var body struct{ Metadata struct{ UID types.UID } }
	g.Expect(json.Unmarshal(patch, &body)).To(Succeed())
	g.Expect(body.Metadata.UID).To(Equal(pod.UID))
	pod.DeletionTimestamp = new(at(102))
	g.Expect(inplace.Proofs([]*corev1.Pod{pod}, at(102).Time)).To(BeEmpty())
}

func TestWhatWasRestartedBetweenUpdatesAndMayRunTheLastOneIsBelievedInTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		last string
		want bool
	}{
		"asked for once more":    {"a:v2", true},
		"asked for never before": {"a:v4", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			pod := running()
			update(g, pod, "a:v2", 100)
			start(pod, 101)
			update(g, pod, "a:v3", 101)
			update(g, pod, c.last, 102)
			pod.Status.ObservedGeneration = pod.Generation
			g.Expect(prove(g, pod, 103)).To(BeFalse(), "it may be ended yet")
			g.Expect(prove(g, pod, 102+90)).To(Equal(c.want), "INPLACE-013")
			start(pod, 200)
			g.Expect(prove(g, pod, 300)).To(Equal(!c.want), "it is written once")
		})
	}
}
