package plan

import (
	corev1 "k8s.io/api/core/v1"
)

// IsHealthy reports whether pod serves somebody and will go on doing so: it is Ready, has not ended, and is not terminating (PDB-009, PDB-010). A pod whose
// eviction was granted is healthy until it is seen terminating; who counts has to leave it out (PDB-013).
func IsHealthy(pod *corev1.Pod) bool {
	return isLive(pod) && isReady(pod)
}

// isLive reports whether the pod is there to stay. Others cannot be disrupted any more.
func isLive(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil && !hasEnded(pod) }

func isReady(pod *corev1.Pod) bool {
	ready := condition(pod, corev1.PodReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// condition returns the pod's condition of that type, or nil.
func condition(pod *corev1.Pod, of corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == of {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// hasEnded reports whether the pod's phase is one that it never leaves.
func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}
