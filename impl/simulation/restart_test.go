package simulation

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// look has the kubelet of a pod that runs see that it was changed, unless it is at work on a change before.
func (k *kubelets) look(pod *corev1.Pod) {
	d := k.daemons[pod.UID]
	if len(d.containers) == 0 || !d.outdated(pod) || d.syncing > 0 || pod.DeletionTimestamp != nil {
		return
	}
	d.syncing = 1
	k.do(pod, 300*time.Millisecond, "see the change", func() { k.sync(pod.UID) })
}

// sync is what a kubelet does about a pod that was changed: it reports that it has seen the change, and then restarts each container that is to have
// another image, in its own time. What changes meanwhile has to wait.
func (k *kubelets) sync(uid types.UID) {
	pod, d := k.runningPod(uid), k.daemons[uid]
	if pod == nil || pod.DeletionTimestamp != nil {
		return
	}
	d.see(pod)
	d.syncing = len(pod.Spec.Containers)
	k.api.updatePod(pod.Name, k.tell)
	for _, wanted := range pod.Spec.Containers {
		k.do(pod, k.pace.Stop, about("restart", wanted.Name), func() {
			if k.daemons[uid] != d {
				return
			}
			if pod := k.runningPod(uid); pod != nil && wanted.Image != d.containers[wanted.Name].image {
				k.restart(pod, wanted)
			}
			d.syncing--
			if pod := k.runningPod(uid); pod != nil {
				k.look(pod)
			}
		})
	}
}

// restart starts another instance of the container. A pod without a readiness probe stays Ready.
func (k *kubelets) restart(pod *corev1.Pod, container corev1.Container) {
	c := k.daemons[pod.UID].begin(container, k.wholeSecond())
	if k.chance.percent(40, about("has no probe", container.Name), pod.Name) {
		c.started = true
		k.api.updatePod(pod.Name, k.tell)
		k.refresh(pod.UID)
		return
	}
	k.setStatus(pod, corev1.PodRunning, false)
	k.start(pod, container.Name)
}

// crash starts another instance of one of the containers, as if it had ended by itself: of the image that the kubelet knows of, which may not hear of changes.
func (k *kubelets) crash(pod *corev1.Pod) {
	d := k.daemons[pod.UID]
	if pod = k.runningPod(pod.UID); pod == nil || pod.DeletionTimestamp != nil || !d.started() {
		return
	}
	which := k.chance.number([]any{"which crashes", k.clock.serial}) % uint64(len(pod.Spec.Containers))
	one := pod.Spec.Containers[which]
	one.Image = d.images[which]
	k.restart(pod, one)
}

// wholeSecond is the present time as the API tells it.
func (k *kubelets) wholeSecond() metav1.Time {
	return metav1.NewTime(k.clock.now.Truncate(time.Second))
}
