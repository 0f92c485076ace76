package story

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// conditionResolution is how far a condition's time may be from the event that carries it without telling a reader anything:
// conditions count whole seconds, and events take a moment to arrive.
const conditionResolution = 2 * time.Second

// podState is the pod's state in a few words.
func podState(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "terminating"
	case pod.Status.Phase == corev1.PodFailed:
		return "failed" + because(pod.Status.Reason)
	case pod.Status.Phase == corev1.PodSucceeded:
		return "succeeded"
	case history.IsReady(pod):
		return "Ready"
	case pod.Status.Phase == corev1.PodRunning:
		return "running not Ready"
	}
	return "pending"
}

func podChanges(before, after *corev1.Pod, change history.Change) []string {
	var changes []string
	if before.Spec.NodeName != after.Spec.NodeName {
		changes = append(changes, "was bound to "+after.Spec.NodeName)
	}
	if before.Status.Phase != after.Status.Phase {
		changes = append(changes, phaseChange(after))
	}
	changes = append(changes, readinessChanges(history.Ready(before), history.Ready(after), change.Time)...)
	if from, to := restarts(before), restarts(after); to > from {
		changes = append(changes, fmt.Sprintf("restarted a container (restart %d)", to))
	}
	for i := range min(len(before.Spec.Containers), len(after.Spec.Containers)) {
		if from, to := before.Spec.Containers[i].Image, after.Spec.Containers[i].Image; from != to {
			changes = append(changes, fmt.Sprintf("image %s -> %s", from, to))
		}
	}
	return changes
}

func phaseChange(pod *corev1.Pod) string {
	switch pod.Status.Phase {
	case corev1.PodRunning:
		return "started running"
	case corev1.PodFailed:
		return "failed" + because(pod.Status.Reason)
	case corev1.PodSucceeded:
		return "succeeded"
	case corev1.PodPending:
		return "became pending"
	}
	return fmt.Sprintf("phase became %q", pod.Status.Phase)
}

func readinessChanges(before, after *corev1.PodCondition, now time.Time) []string {
	was, is := before != nil && before.Status == corev1.ConditionTrue, after != nil && after.Status == corev1.ConditionTrue
	switch {
	case !was && is && after.LastTransitionTime.IsZero():
		return []string{"became Ready (without a transition time)"}
	case !was && is && now.Sub(after.LastTransitionTime.Time).Abs() > conditionResolution:
		return []string{"became Ready (as of " + clock(after.LastTransitionTime.Time) + ")"}
	case !was && is:
		return []string{"became Ready"}
	case was && !is && after != nil && after.Reason == history.NotRestarted:
		return []string{"counts as not Ready until its containers are restarted"}
	case was && !is:
		return []string{"became unready"}
	case is && !before.LastTransitionTime.Equal(&after.LastTransitionTime):
		return []string{fmt.Sprintf("Ready moved from %s to %s", clock(before.LastTransitionTime.Time), clock(after.LastTransitionTime.Time))}
	}
	return nil
}

func restarts(pod *corev1.Pod) int32 {
	var total int32
	for i := range pod.Status.ContainerStatuses {
		total += pod.Status.ContainerStatuses[i].RestartCount
	}
	return total
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }
