package simulation

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// sync is what a kubelet does about a pod that was changed: it reports that it has seen the change, and then restarts the container if it is to have
// another image. What changes meanwhile has to wait.
func (k *kubelets) sync(uid types.UID) {
	pod, c := k.runningPod(uid), k.containers[uid]
	if pod == nil || pod.DeletionTimestamp != nil {
		return
	}
	c.generation = pod.Generation
	wanted := image(&pod.Spec)
	k.writeStatus(pod)
	k.do(pod, k.pace.Stop, "restart", func() {
		if k.containers[uid] != c {
			return
		}
		if pod := k.runningPod(uid); pod != nil && wanted != c.image {
			k.restart(pod, wanted)
		}
		c.syncing = false
		if pod := k.runningPod(uid); pod != nil && pod.Generation != c.generation && pod.DeletionTimestamp == nil {
			c.syncing = true
			k.do(pod, 300*time.Millisecond, "see the change", func() { k.sync(uid) })
		}
	})
}

// restart starts another instance of the container. A pod without a readiness probe stays Ready.
func (k *kubelets) restart(pod *corev1.Pod, image string) {
	c := k.containers[pod.UID]
	c.image, c.startedAt = image, k.wholeSecond()
	c.restarts++
	if k.chance.percent(40, "has no probe", pod.Name) {
		c.started = true
		k.writeStatus(pod)
		k.refresh(pod.UID)
		return
	}
	c.started = false
	k.setStatus(pod, corev1.PodRunning, false)
	k.start(pod)
}

// wholeSecond is the present time as the API tells it.
func (k *kubelets) wholeSecond() metav1.Time {
	return metav1.NewTime(k.clock.now.Truncate(time.Second))
}

// writeStatus writes what the kubelet knows of the container.
func (k *kubelets) writeStatus(pod *corev1.Pod) {
	k.api.updatePod(pod.Name, k.tell)
}

// tell writes what the kubelet knows of the container into the pod's status.
func (k *kubelets) tell(pod *corev1.Pod) {
	c := k.containers[pod.UID]
	if c == nil || c.image == "" {
		return
	}
	pod.Status.ObservedGeneration = c.generation
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Image: c.image, ContainerID: fmt.Sprintf("%s-%d", pod.UID, c.restarts), RestartCount: c.restarts,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: c.startedAt}},
	}}
}
