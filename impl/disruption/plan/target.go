package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TargetTimeout is how long the condition DisruptionTarget may be True on a pod that is not deleted after all (PDB-034).
const TargetTimeout = 2 * time.Minute

// TargetActions is what Reset wants done. The zero value means: nothing.
type TargetActions struct {
	// Pod is the pod as it should be, but for its status the one that was asked about; nil if there is nothing to write.
	Pod *corev1.Pod
	// RequeueAfter is when Reset has to be asked again although nothing changed; zero: no need.
	RequeueAfter time.Duration
}

// Resetter is Reset, or a function in its place.
type Resetter func(pod *corev1.Pod, now time.Time) TargetActions

// Reset says what to do about the condition DisruptionTarget of pod at now: it is set to False once it has been True for TargetTimeout.
func Reset(pod *corev1.Pod, now time.Time) TargetActions {
	if !MayBeStale(pod) {
		return TargetActions{}
	}
	target := condition(pod, corev1.DisruptionTarget)
	if wait := target.LastTransitionTime.Add(TargetTimeout).Sub(now); wait > 0 {
		return TargetActions{RequeueAfter: wait}
	}
	pod = pod.DeepCopy()
	target = condition(pod, corev1.DisruptionTarget)
	reset := corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy()}
	if target.ObservedGeneration != 0 || pod.Status.ObservedGeneration != 0 {
		reset.ObservedGeneration = pod.Generation
	}
	*target = reset
	return TargetActions{Pod: pod}
}

// MayBeStale reports whether pod has the condition and does not look like one that is deleted for it. A kubelet sets it long before the pod ends, and a pod
// that has ended is not disrupted any more.
func MayBeStale(pod *corev1.Pod) bool {
	target := condition(pod, corev1.DisruptionTarget)
	return target != nil && target.Status == corev1.ConditionTrue && target.Reason != corev1.PodReasonTerminationByKubelet &&
		pod.DeletionTimestamp == nil && !hasEnded(pod)
}
