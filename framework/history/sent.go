package history

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Admission may also change what a pod is known by: a label, the network, a container's name. Then only what its author sent tells of which template it is.

// rememberSent keeps a created pod in sent as its author sent it, where admission changed a part of it, until the pod is gone.
func (c *Cluster) rememberSent(entry Entry) {
	pod, isPod := entry.Object.(*corev1.Pod)
	switch {
	case !isPod:
	case entry.Type == watch.Deleted:
		delete(c.sent, pod.UID)
	case entry.Author != nil && entry.Author.Asked != nil:
		c.sent[pod.UID] = entry.Sent()
	}
}

// content returns which of the templates the pod was made from by its content or, where that is of none, by that of the pod that was sent.
func (c *Cluster) content(known *templates, pod *corev1.Pod) int {
	if is := known.byContent(pod, c.labelled(known, pod)); is != NoRevision || c.sent[pod.UID] == nil {
		return is
	}
	sent := updatedLike(c.sent[pod.UID], pod)
	return known.byContent(sent, c.labelled(known, sent))
}

// updatedLike is the pod that was sent with what has been updated since in the pod that there is: images and resources of containers. Nothing else of a
// template can be.
func updatedLike(sent, pod *corev1.Pod) *corev1.Pod {
	sent, now := sent.DeepCopy(), map[string]*corev1.Container{}
	for container := range containersOf(&pod.Spec) {
		now[container.Name] = container
	}
	for container := range containersOf(&sent.Spec) {
		if is := now[container.Name]; is != nil {
			container.Image, container.Resources = is.Image, is.Resources
		}
	}
	return sent
}
