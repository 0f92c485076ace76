package history

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Admission may also change what a pod is known by: a label, the network, a container's name. Then only what its author sent tells of which template it is.
// Others label pods, too, once they are there.

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

// rememberMade keeps a pod in sent as it was before somebody changed its labels, if nothing is known of what its author sent: it is still made of its template.
func (c *Cluster) rememberMade(before, pod *corev1.Pod) {
	if before != nil && c.sent[pod.UID] == nil && !maps.Equal(before.Labels, pod.Labels) {
		c.sent[pod.UID] = before
	}
}

// content returns which of the templates the pod was made from by its content or, where that is of none, by that of the pod that was sent.
func (c *Cluster) content(known *templates, pod *corev1.Pod) int {
	if is := known.byContent(pod, c.labelled(known, pod)); is != NoRevision || c.sent[pod.UID] == nil {
		return is
	}
	sent := updatedLike(c.sent[pod.UID], pod, c.revisionLabel)
	return known.byContent(sent, c.labelled(known, sent))
}

// updatedLike is the pod that was sent with what has been updated since in the pod that there is: images and resources of containers, and the label of their
// revision. Nothing else of a template can be.
func updatedLike(sent, pod *corev1.Pod, revisionLabel string) *corev1.Pod {
	sent, now := sent.DeepCopy(), map[string]*corev1.Container{}
	for container := range containersOf(&pod.Spec) {
		now[container.Name] = container
	}
	for container := range containersOf(&sent.Spec) {
		if is := now[container.Name]; is != nil {
			container.Image, container.Resources = is.Image, is.Resources
		}
	}
	if label := pod.Labels[revisionLabel]; label != "" {
		metav1.SetMetaDataLabel(&sent.ObjectMeta, revisionLabel, label)
	}
	return sent
}
