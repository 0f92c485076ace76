package inplace_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

func TestDecidingChangesNeitherTemplate(t *testing.T) {
	g := NewWithT(t)
	from := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a:v1"}}}}
	to := from.DeepCopy()
	to.Spec.Containers[0].Image = "a:v2"
	wasFrom, wasTo := from.DeepCopy(), to.DeepCopy()
	g.Expect(inplace.OnlyImagesDiffer(from, to)).To(BeTrue())
	g.Expect(from).To(Equal(wasFrom), "INPLACE-010")
	g.Expect(to).To(Equal(wasTo), "INPLACE-010")
	to.Spec.InitContainers = []corev1.Container{{Name: "b"}}
	g.Expect(inplace.OnlyImagesDiffer(from, to)).To(BeFalse())
	g.Expect(inplace.OnlyImagesDiffer(nil, to)).To(BeFalse(), "unknown")
}

func TestAContainerKeepsWhatAdmissionGaveItUntilTheTemplateGivesItAnotherImage(t *testing.T) {
	g := NewWithT(t)
	of := func(images ...string) corev1.PodSpec {
		return corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: images[0]}, {Name: "b", Image: images[1]}}}
	}
	pod := &corev1.Pod{Spec: of("a:v1", "mirror/b:v1")}
	from, next, last := &corev1.PodTemplateSpec{Spec: of("a:v1", "b:v1")}, &corev1.PodTemplateSpec{Spec: of("a:v2", "b:v1")}, &corev1.PodTemplateSpec{Spec: of("a:v1", "b:v2")}
	g.Expect(inplace.Images(pod, from, next)).To(Equal(map[string]string{"a": "a:v2"}))
	g.Expect(inplace.Images(pod, from, last)).To(Equal(map[string]string{"b": "b:v2"}))
	g.Expect(inplace.Images(pod, nil, next)).To(Equal(map[string]string{"a": "a:v2", "b": "b:v1"}), "unknown")
}
