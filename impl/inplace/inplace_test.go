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
