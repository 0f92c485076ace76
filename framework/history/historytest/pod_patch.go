package historytest

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Started gives the pod a running instance of each container, and a kubelet that knows the pod as it is.
func (p *Pod) Started() *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		pod.Generation, pod.Status.ObservedGeneration = 1, 1
		for _, container := range pod.Spec.Containers {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
				Name: container.Name, Image: container.Image, ContainerID: container.Name + "-0",
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.b.now).Rfc3339Copy()}},
			})
		}
	})
}

// Patch gives the pod's first container the image of the version, and the pod its label, as the implementation does that updates it in place.
func (p *Pod) Patch(version string) *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		p.setImage(pod, version)
		pod.Labels[RevisionLabel] = version
	})
}

// SetImage gives the pod's first container the image of the version, and leaves its label.
func (p *Pod) SetImage(version string) *Pod {
	return p.Edit(func(pod *corev1.Pod) { p.setImage(pod, version) })
}

func (p *Pod) setImage(pod *corev1.Pod, version string) {
	pod.Spec.Containers[0].Image = image(pod.OwnerReferences[0].Name, version)
	pod.Generation++
}

// Observed has the kubelet know the pod as it is.
func (p *Pod) Observed() *Pod {
	return p.Edit(func(pod *corev1.Pod) { pod.Status.ObservedGeneration = pod.Generation })
}

// Restarted starts another instance of the pod's first container, which the runtime says is of the version. Its Ready condition stays.
func (p *Pod) Restarted(version string) *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		status := &pod.Status.ContainerStatuses[0]
		status.RestartCount++
		status.Image, status.ContainerID = image(pod.OwnerReferences[0].Name, version), fmt.Sprintf("%s-%d", status.Name, status.RestartCount)
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.b.now).Rfc3339Copy()}}
	})
}

// InPlace makes the DaemonSet ask for updates in place.
func InPlace() Option {
	return func(object *appsv1.DaemonSet) {
		policy := history.DefaultUpdatePolicy()
		metav1.SetMetaDataAnnotation(&object.ObjectMeta, policy.Annotation, policy.InPlaceIfPossible)
	}
}
