package story

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// life is a pod's state after an entry.
type life struct {
	pod             *corev1.Pod
	minReadySeconds int32
}

// at returns the stage at an instant: a Ready pod becomes available by the passing of time, without an event.
func (l life) at(now time.Time) picture.Stage {
	switch {
	case l.pod.DeletionTimestamp != nil:
		return picture.Terminating
	case history.IsTerminal(l.pod):
		return picture.Ended
	case history.IsAvailable(l.pod, l.minReadySeconds, now):
		return picture.Available
	case history.IsReady(l.pod):
		return picture.Ready
	case l.pod.Status.Phase == corev1.PodRunning:
		return picture.Running
	}
	return picture.Pending
}

// ripens returns when the pod becomes available by waiting, if that is after the first instant and not after the second.
func (l life) ripens(after, until time.Time) (time.Time, bool) {
	from, ok := history.AvailableFrom(l.pod, l.minReadySeconds)
	return from, ok && from.After(after) && !from.After(until)
}

// sameLane reports whether two states of a pod draw the same lane at every instant.
func sameLane(a, b *corev1.Pod) bool {
	if a == nil || b == nil {
		return a == b
	}
	readyA, readyB := history.Ready(a), history.Ready(b)
	if history.IsReady(a) != history.IsReady(b) || (history.IsReady(a) && !readyA.LastTransitionTime.Equal(&readyB.LastTransitionTime)) {
		return false
	}
	return a.Status.Phase == b.Status.Phase && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) && history.NodeOf(a) == history.NodeOf(b)
}
