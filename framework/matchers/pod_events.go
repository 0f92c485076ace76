package matchers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// podEvent is an event of pods: is gets the pod's states before (nil if it did not exist) and after (nil if it is gone).
func podEvent(which []Which, happened string, is func(before, after *corev1.Pod) bool) Event {
	chosen := all(which)
	return on(chosen.pod(happened), func(cluster *history.Cluster, change history.Change) bool {
		pod, ok := change.Object.(*corev1.Pod)
		if !ok {
			return false
		}
		before, _ := change.Before.(*corev1.Pod)
		after := pod
		if change.Type == watch.Deleted {
			after = nil
		}
		return is(before, after) && chosen.is(cluster, pod)
	})
}

// PodCreated happens when a pod comes into being.
func PodCreated(which ...Which) Event {
	return podEvent(which, "created", func(before, after *corev1.Pod) bool { return before == nil && after != nil })
}

// PodDeleted happens when a pod begins to terminate, or vanishes without having done so.
func PodDeleted(which ...Which) Event {
	return podEvent(which, "deleted", func(before, after *corev1.Pod) bool {
		return before != nil && before.DeletionTimestamp == nil && (after == nil || after.DeletionTimestamp != nil)
	})
}

// PodGone happens when a pod is no more.
func PodGone(which ...Which) Event {
	return podEvent(which, "gone", func(before, after *corev1.Pod) bool { return before != nil && after == nil })
}

// PodReady happens when a pod's Ready condition becomes True.
func PodReady(which ...Which) Event {
	return podEvent(which, "became Ready", func(before, after *corev1.Pod) bool { return !ready(before) && ready(after) })
}

// PodUnready happens when a pod's Ready condition ceases to be True.
func PodUnready(which ...Which) Event {
	return podEvent(which, "became unready", func(before, after *corev1.Pod) bool { return ready(before) && after != nil && !ready(after) })
}

// PodFailed happens when a pod's phase becomes Failed.
func PodFailed(which ...Which) Event {
	return podEvent(which, "failed", func(before, after *corev1.Pod) bool { return !failed(before) && failed(after) })
}

// PodScheduled happens when a pod is bound to a node.
func PodScheduled(which ...Which) Event {
	return podEvent(which, "scheduled", func(before, after *corev1.Pod) bool {
		return (before == nil || before.Spec.NodeName == "") && after != nil && after.Spec.NodeName != ""
	})
}

func ready(pod *corev1.Pod) bool { return pod != nil && history.IsReady(pod) }

func failed(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodFailed }
