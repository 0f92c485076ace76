package simulation

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// container is one that runs: its image, how often it was restarted, last at startedAt, and whether it is up.
type container struct {
	image     string
	restarts  int32
	startedAt metav1.Time
	started   bool
}

// begin starts a container, or another instance of it.
func (d *daemon) begin(spec corev1.Container, now metav1.Time) *container {
	c := &container{image: spec.Image, startedAt: now}
	if before := d.containers[spec.Name]; before != nil {
		c.restarts = before.restarts + 1
	}
	d.containers[spec.Name] = c
	return c
}

// see takes note of the pod as its kubelet sees it.
func (d *daemon) see(pod *corev1.Pod) { d.generation, d.images = pod.Generation, imagesOf(pod) }

// outdated reports whether the kubelet has not seen the pod as it is.
func (d *daemon) outdated(pod *corev1.Pod) bool {
	return pod.Generation != d.generation || !slices.Equal(imagesOf(pod), d.images)
}

func imagesOf(pod *corev1.Pod) []string {
	images := make([]string, len(pod.Spec.Containers))
	for i := range pod.Spec.Containers {
		images[i] = pod.Spec.Containers[i].Image
	}
	return images
}

// about says what a container does, for chance. That of the first one is the pod's.
func about(what, container string) string {
	if container == otherContainer {
		return what + " " + container
	}
	return what
}

// started reports whether all containers are up.
func (d *daemon) started() bool {
	for _, c := range d.containers {
		if !c.started {
			return false
		}
	}
	return len(d.containers) > 0
}

// runs reports whether a container runs an image with the suffix.
func (d *daemon) runs(suffix string) bool {
	for _, c := range d.containers {
		if strings.HasSuffix(c.image, suffix) {
			return true
		}
	}
	return false
}

// tell writes what the kubelet knows of the containers into the pod's status.
func (k *kubelets) tell(pod *corev1.Pod) {
	d := k.daemons[pod.UID]
	if d == nil || len(d.containers) == 0 {
		return
	}
	pod.Status.ObservedGeneration = d.generation
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = nil, nil
	for _, container := range pod.Spec.InitContainers {
		is := corev1.ContainerStatus{Name: container.Name, Image: container.Image, Ready: true, RestartCount: 1, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}
		if container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			is.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, is)
	}
	for _, container := range pod.Spec.Containers {
		if c := d.containers[container.Name]; c != nil {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
				Name: container.Name, Image: c.image, ContainerID: fmt.Sprintf("%s-%s-%d", pod.UID, container.Name, c.restarts), RestartCount: c.restarts,
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: c.startedAt}},
			})
		}
	}
}

// await has the pod say that the first container whose image has the suffix waits, and why. It reports whether there is one.
func (k *kubelets) await(pod *corev1.Pod, containers []corev1.Container, suffix, reason string) bool {
	for _, container := range containers {
		if !strings.HasSuffix(container.Image, suffix) {
			continue
		}
		k.setStatus(pod, corev1.PodPending, false)
		k.api.updatePod(pod.Name, func(pod *corev1.Pod) {
			waiting := []corev1.ContainerStatus{{
				Name: container.Name, Image: container.Image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
			}}
			if len(pod.Spec.InitContainers) > 0 && container.Name == pod.Spec.InitContainers[0].Name {
				pod.Status.InitContainerStatuses = waiting
			} else {
				pod.Status.ContainerStatuses = waiting
			}
		})
		return true
	}
	return false
}
