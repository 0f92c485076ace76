package history

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A pod whose containers get other images goes on saying that it is Ready until its kubelet comes to it, and, without a readiness probe, also while the
// containers restart. A replay does not believe that: it shows such a pod as not Ready until each of these containers is another instance than before,
// and Ready no earlier than they started (INPLACE-013). Everybody who asks whether a pod is Ready, or available, is answered by what is shown.

// NotRestarted is the reason of the Ready condition of a pod that a replay does not show as Ready though it says so.
const NotRestarted = "ContainersNotRestarted"

// patched is what a replay knows of a pod whose containers got other images.
type patched struct {
	// generation of the pod with the latest of them; zero where the API server counts none.
	generation int64
	// pending are the containers that do not run what they should, by name.
	pending map[string]former
	// since is when the latest of the others started.
	since metav1.Time
	// unproved: its patch was reverted, which restarts nothing, and its kubelet does not report which patch it has seen (Kubernetes before 1.34); or it is not
	// known what a container runs that was restarted between patches, and not since.
	unproved bool
}

// former is a container before it got another image.
type former struct {
	id       string
	restarts int32
	// image of that instance; empty if that is not known.
	image string
	// maybe: it is not known, and may be the one that is wanted, which was asked for before.
	maybe bool
	// skipped are images that it was given since and that it did not come to: an instance of one of them may still be started.
	skipped []string
}

// believe returns the entry with the pod as it is to be shown.
func (c *Cluster) believe(entry Entry) Entry {
	pod, isPod := entry.Object.(*corev1.Pod)
	if !isPod {
		return entry
	}
	known := c.patched[pod.UID]
	if before := c.Pods[pod.UID]; before != nil && ImagesDiffer(before, pod) {
		if known == nil {
			known = &patched{pending: map[string]former{}}
			c.patched[pod.UID] = known
		}
		known.patch(before, pod)
	}
	if known != nil {
		known.settle(pod)
		entry.Object = known.show(pod)
	}
	if entry.Type == watch.Deleted {
		delete(c.patched, pod.UID)
	}
	return entry
}

// Unproved returns the name of a pod that is shown as Ready though its patch was reverted, and it is unknown which of the patches its kubelet saw, or which of
// them a container that was restarted in between is of: a controller may count it as unavailable. Of several it is the first by name; empty if there is none.
func (c *Cluster) Unproved() string {
	first := ""
	for uid, known := range c.patched {
		if pod := c.Pods[uid]; known.unproved && pod != nil && (first == "" || pod.Name < first) {
			first = pod.Name
		}
	}
	return first
}

// ImagesDiffer reports whether a container that both have, and that is not an init container, has another image.
func ImagesDiffer(before, after *corev1.Pod) bool {
	return slices.ContainsFunc(after.Spec.Containers, func(container corev1.Container) bool {
		was, found := imageOf(before, container.Name)
		return found && was != container.Image
	})
}

// InitImagesDiffer reports whether an init container that both have has another image.
func InitImagesDiffer(before, after *corev1.Pod) bool {
	return slices.ContainsFunc(after.Spec.InitContainers, func(container corev1.Container) bool {
		return slices.ContainsFunc(before.Spec.InitContainers, func(was corev1.Container) bool {
			return was.Name == container.Name && was.Image != container.Image
		})
	})
}

func imageOf(pod *corev1.Pod, container string) (string, bool) {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == container {
			return pod.Spec.Containers[i].Image, true
		}
	}
	return "", false
}

func containerStatus(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == container {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// patch takes note of the containers that have other images than before.
func (p *patched) patch(before, after *corev1.Pod) {
	p.generation, p.unproved = after.Generation, false
	for _, container := range before.Spec.Containers {
		image, found := imageOf(after, container.Name)
		if !found || image == container.Image {
			continue
		}
		earlier, open := p.pending[container.Name]
		now := former{image: container.Image}
		if open {
			now.image, now.skipped = "", append(slices.Clone(earlier.skipped), container.Image)
		}
		if status := containerStatus(before, container.Name); status != nil {
			now.id, now.restarts = status.ContainerID, status.RestartCount
			if open && !restartedSince(status, earlier) {
				now.image = earlier.image
			}
		}
		// An instance of an image that was asked for before is what is wanted, if that is asked for again.
		now.maybe = now.image == "" && slices.Contains(now.skipped, image)
		now.skipped = slices.DeleteFunc(now.skipped, func(skipped string) bool { return skipped == image })
		p.pending[container.Name] = now
	}
}

func restartedSince(status *corev1.ContainerStatus, before former) bool {
	return status.ContainerID != before.id || status.RestartCount > before.restarts
}

// settle takes note of the containers that run what they should.
func (p *patched) settle(pod *corev1.Pod) {
	if seen := pod.Status.ObservedGeneration; seen > 0 && seen < p.generation {
		return
	}
	for name, before := range p.pending {
		status := containerStatus(pod, name)
		if status == nil || status.State.Running == nil {
			continue
		}
		// It may run what it should already, or may still be ended for what it runs.
		doubtful := before.maybe && !restartedSince(status, before)
		if !doubtful && !isWanted(pod, status, before) {
			continue
		}
		delete(p.pending, name)
		p.unproved = p.unproved || doubtful || pod.Status.ObservedGeneration == 0 && !restartedSince(status, before)
		if started := status.State.Running.StartedAt; p.since.Before(&started) {
			p.since = started
		}
	}
}

// isWanted reports whether the instance is one of the image that the container has now. What a runtime calls an image proves nothing, except that
// an instance is of another one that it was asked for before.
func isWanted(pod *corev1.Pod, status *corev1.ContainerStatus, before former) bool {
	if !restartedSince(status, before) {
		wanted, _ := imageOf(pod, status.Name)
		return before.image == wanted
	}
	return !slices.Contains(before.skipped, status.Image) || int(status.RestartCount) > int(before.restarts)+len(before.skipped)
}

// show returns the pod with the Ready condition that can be believed.
func (p *patched) show(pod *corev1.Pod) *corev1.Pod {
	shown := pod
	ready := Ready(pod)
	if ready == nil || ready.Status != corev1.ConditionTrue {
		return shown
	}
	early := !ready.LastTransitionTime.IsZero() && ready.LastTransitionTime.Before(&p.since)
	if len(p.pending) == 0 && !early {
		return shown
	}
	shown = pod.DeepCopy()
	ready = Ready(shown)
	if len(p.pending) > 0 {
		ready.Status, ready.Reason = corev1.ConditionFalse, NotRestarted
	}
	if early {
		ready.LastTransitionTime = p.since
	}
	return shown
}
