package recorder

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

func TestOfVolumesTheTokensAreTrimmedAndNoOthers(t *testing.T) {
	g := NewWithT(t)
	own, ownMount := corev1.Volume{Name: "own", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}, corev1.VolumeMount{Name: "own", MountPath: "/own"}
	token := corev1.Volume{Name: "kube-api-access-x7k2f", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}
	mounts := func() []corev1.VolumeMount {
		return []corev1.VolumeMount{ownMount, {Name: token.Name, MountPath: "/token"}}
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Volumes: []corev1.Volume{own, token}, InitContainers: []corev1.Container{{VolumeMounts: mounts()}}, Containers: []corev1.Container{{VolumeMounts: mounts()}},
	}}
	Source{}.trim(pod)
	g.Expect(pod.Spec.Volumes).To(Equal([]corev1.Volume{own, {Name: "kube-api-access"}}))
	g.Expect(pod.Spec.InitContainers[0].VolumeMounts).To(Equal([]corev1.VolumeMount{ownMount}))
	g.Expect(pod.Spec.Containers[0].VolumeMounts).To(Equal([]corev1.VolumeMount{ownMount}))
}
