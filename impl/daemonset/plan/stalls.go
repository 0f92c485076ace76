package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// NotReadyDeadline is how long an updated pod may take to become Ready before the rollout counts as stalled.
	NotReadyDeadline = 10 * time.Minute
	// UnschedulableGrace is how long the scheduler may refuse a pod before the rollout counts as stalled: its view of the node may be a moment old.
	UnschedulableGrace = 2 * time.Second
	// RefusalGrace is how long the API server may refuse to create or delete pods before the rollout counts as stalled.
	RefusalGrace = 2 * time.Second
	// wordsLimit bounds what is quoted of others, in bytes.
	wordsLimit = 600
)

// stall is why a node has no available updated pod, and will not get one by itself.
type stall struct {
	node, reason, message string
	// from is when it counts as one.
	from time.Time
}

// stalls returns the stalls of the nodes, in the order of their names. moving says that an updated pod may become available without anybody's help.
// known says that the stall has been reported before: then a pod between two failures is part of it.
func (p *pass) stalls(views []*nodeView, known bool) (found []stall, moving bool) {
	causes := p.refusals(views)
	for _, view := range views {
		if !view.eligible || p.available(view.updated()) {
			continue
		}
		if why := p.stallOf(view, known); why != nil {
			causes = append(causes, *why)
		} else {
			moving = moving || view.updated() != nil || view.terminating() && !known
		}
	}
	for _, why := range causes {
		if why.from.After(p.now) {
			p.comeBack(why.from)
			moving = true
		} else {
			found = append(found, why)
		}
	}
	slices.SortStableFunc(found, func(a, b stall) int { return cmp.Compare(a.node, b.node) })
	return slices.CompactFunc(found, func(a, b stall) bool { return a.node == b.node }), moving
}

// stallOf returns nil for a node whose updated pod may still become available, and for one that waits for its turn.
func (p *pass) stallOf(view *nodeView, known bool) *stall {
	backoff, pod := p.state.Backoff[view.name], view.updated()
	waits := p.now.Before(backoff.Until()) &&
		slices.ContainsFunc(view.ended, func(pod *corev1.Pod) bool { return p.history.updated(p.ds, pod) })
	switch {
	case pod == nil && view.old() != nil && p.refusesUpdate(view.name):
		return &stall{node: view.name, reason: StalledUpdateRefused, message: fmt.Sprintf("pod %s on node %s cannot be updated in place: %s",
			view.old().Name, view.name, quoted(p.state.RefusedUpdates[view.name].Words))}
	case waits, known && backoff.fails() && (pod == nil || !IsReady(pod)):
		return &stall{node: view.name, reason: StalledFailing, message: fmt.Sprintf("pods on node %s end again and again", view.name)}
	case pod == nil || IsReady(pod):
		return nil
	}
	why := p.hindrance(pod, known)
	why.node = view.name
	why.message = fmt.Sprintf("pod %s on node %s %s", pod.Name, view.name, why.message)
	return &why
}

// hindrance says why a pod is not Ready.
func (p *pass) hindrance(pod *corev1.Pod, known bool) stall {
	since := pod.CreationTimestamp.Time
	for _, c := range pod.Status.Conditions {
		switch {
		case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable:
			return stall{
				reason: unschedulable(pod, c.Message), message: "cannot be scheduled: " + quoted(c.Message),
				from: latest(since, c.LastTransitionTime.Time).Add(UnschedulableGrace),
			}
		case c.Type == corev1.PodReady:
			since = latest(since, c.LastTransitionTime.Time)
		}
	}
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	for i, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if why := containerStall(container, restarted(containers, container.Name, i >= len(pod.Status.InitContainerStatuses)), known); why != nil {
			return *why
		}
	}
	return stall{reason: StalledNotReady, message: fmt.Sprintf("has not become Ready for %s", NotReadyDeadline), from: since.Add(NotReadyDeadline)}
}

// noImage are the reasons that kubelets give, in turn with each other, while an image cannot be had.
var noImage = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed",
}

// The reasons while a container cannot be created: for want of its configuration, and by the runtime, whose words name another container at each attempt.
const (
	noConfig    = "CreateContainerConfigError"
	noContainer = "CreateContainerError"
)

// containerStall leaves out what kubelets say in changing words, so that the message stays the same while the cause does. restarted says that the container
// is started again after it has ended with exit code 0, too.
func containerStall(container corev1.ContainerStatus, restarted, known bool) *stall {
	waiting := ""
	if container.State.Waiting != nil {
		waiting = container.State.Waiting.Reason
	}
	end := container.State.Terminated
	if end == nil && known {
		end = container.LastTerminationState.Terminated
	}
	ended := end != nil && (restarted || end.ExitCode != 0)
	switch {
	case slices.Contains(noImage, waiting):
		return &stall{reason: StalledImagePull, message: fmt.Sprintf("cannot get image %q of container %s", container.Image, container.Name)}
	case waiting == noConfig:
		return &stall{reason: StalledContainer, message: fmt.Sprintf("cannot create container %s: %s", container.Name, quoted(container.State.Waiting.Message))}
	case waiting == noContainer:
		return &stall{reason: StalledContainer, message: fmt.Sprintf("cannot create container %s", container.Name)}
	case waiting == "CrashLoopBackOff", ended && container.RestartCount > 0 && !container.Ready:
		return &stall{reason: StalledCrashLoop, message: fmt.Sprintf("has container %s, which ends again and again", container.Name)}
	}
	return nil
}

// restarted reports whether the container of the name is started again after it has ended with exit code 0: by default all are but init containers.
func restarted(containers []corev1.Container, name string, byDefault bool) bool {
	for _, container := range containers {
		if container.Name == name && container.RestartPolicy != nil {
			return *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
		}
	}
	return byDefault
}

// unschedulable is the reason for a pod that the scheduler refused with the message.
func unschedulable(pod *corev1.Pod, message string) string {
	wantsPort := func(container corev1.Container) bool {
		return slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool { return port.HostPort != 0 })
	}
	if strings.Contains(message, "port") && slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), wantsPort) {
		return StalledHostPortConflict
	}
	return StalledUnschedulable
}

func quoted(words string) string {
	if len(words) <= wordsLimit {
		return words
	}
	return strings.ToValidUTF8(words[:wordsLimit], "") + "…"
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
