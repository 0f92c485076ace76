package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// IsReady reports whether pod can be counted on at all: it is not terminating, has not ended, and is Ready.
func IsReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !HasEnded(pod) && readyCondition(pod) != nil
}

// IsAvailable reports whether pod is available at now: IsReady, and Ready for at least minReadySeconds by the
// condition's own timestamp, the boundary included (AVAIL-001 to AVAIL-003). It is the only notion of "available"
// in this package, for the rollout and for status alike.
func IsAvailable(pod *corev1.Pod, minReadySeconds int32, now time.Time) bool {
	if !IsReady(pod) {
		return false
	}
	if minReadySeconds <= 0 {
		return true
	}
	at, known := AvailableAt(pod, minReadySeconds)
	return known && !at.After(now)
}

// AvailableAt returns when a pod that is Ready becomes (or became) available if it stays so. It is not known for a
// pod that is not Ready, nor for one whose condition does not say since when (AVAIL-006). On a node whose clock is
// ahead it may be later than now plus minReadySeconds (RECOVERY-004).
func AvailableAt(pod *corev1.Pod, minReadySeconds int32) (time.Time, bool) {
	if !IsReady(pod) {
		return time.Time{}, false
	}
	since := readyCondition(pod).LastTransitionTime
	if since.IsZero() {
		return time.Time{}, false
	}
	return since.Add(time.Duration(minReadySeconds) * time.Second), true
}

// readyCondition returns the pod's Ready condition if it is true.
func readyCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

// HasEnded reports whether the pod's phase is one that it never leaves.
func HasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}
