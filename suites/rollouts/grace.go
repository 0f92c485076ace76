package rollouts

import (
	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// CutShort happens when a pod that runs is deleted with a shorter grace period than that of its spec. The API server itself gives others none.
func CutShort() Event {
	return PodDeleted().Where("with less time than its spec gives it", func(m Moment) bool {
		pod := m.Pod()
		given, own := pod.DeletionGracePeriodSeconds, pod.Spec.TerminationGracePeriodSeconds
		return pod.Status.Phase == corev1.PodRunning && (given == nil || own != nil && *given < *own)
	})
}
