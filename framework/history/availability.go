package history

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Ready returns the pod's Ready condition, or nil if it has none.
func Ready(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodReady {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// IsReady reports whether the pod's Ready condition is True.
func IsReady(pod *corev1.Pod) bool {
	ready := Ready(pod)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// SaysReady reports whether the pod itself says that it is Ready. It does so, too, where it is not shown as Ready since its containers have not restarted (see
// NotRestarted): who counts by what pods say, as a budget may (PDB-010), counts it.
func SaysReady(pod *corev1.Pod) bool {
	ready := Ready(pod)
	return ready != nil && (ready.Status == corev1.ConditionTrue || ready.Reason == NotRestarted)
}

// AvailableFrom returns the instant from which a pod in this state is available, and false if no time will make it so: the pod
// must not be terminating and must be Ready; with minReadySeconds it must have been Ready that long, the boundary included
// (AVAIL-001, AVAIL-003). A Ready condition without a transition time is never available then (AVAIL-006).
//
// Conditions have a resolution of one second and are rounded down, so the instant is at most one second early. No tolerance is
// needed to judge "not before": the event that would be too early was received no earlier than it happened.
func AvailableFrom(pod *corev1.Pod, minReadySeconds int32) (time.Time, bool) {
	if pod.DeletionTimestamp != nil || IsTerminal(pod) {
		return time.Time{}, false
	}
	ready := Ready(pod)
	if ready == nil || ready.Status != corev1.ConditionTrue {
		return time.Time{}, false
	}
	if minReadySeconds == 0 {
		return ready.LastTransitionTime.Time, true
	}
	if ready.LastTransitionTime.IsZero() {
		return time.Time{}, false
	}
	return ready.LastTransitionTime.Add(time.Duration(minReadySeconds) * time.Second), true
}

// IsAvailable reports whether the pod is available at the instant: see AvailableFrom.
func IsAvailable(pod *corev1.Pod, minReadySeconds int32, at time.Time) bool {
	from, ok := AvailableFrom(pod, minReadySeconds)
	return ok && (minReadySeconds == 0 || !at.Before(from))
}

// IsTerminal reports whether the pod's containers have ended for good (phase Succeeded or Failed).
func IsTerminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// IsLive reports whether the pod counts as one that runs or will run: neither terminating nor terminal.
func IsLive(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !IsTerminal(pod)
}
