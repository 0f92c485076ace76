package matchers

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// PodRestarted happens when a container of a pod has been started again.
func PodRestarted(which ...Which) Event {
	return podEvent(which, "restarted a container", func(before, after *corev1.Pod) bool {
		return before != nil && after != nil && restarts(after) > restarts(before)
	})
}

// PodPatched happens when containers of a pod, but for init containers, are given other images.
func PodPatched(which ...Which) Event {
	return podEvent(which, "given another image", func(before, after *corev1.Pod) bool {
		return before != nil && after != nil && history.ImagesDiffer(before, after)
	})
}

// PodAltered happens when somebody changes what a pod is: its spec, other than by binding it to a node or taking a scheduling gate away, or its controller.
func PodAltered(which ...Which) Event {
	return podEvent(which, "altered", func(before, after *corev1.Pod) bool {
		if before == nil || after == nil {
			return false
		}
		was := before.DeepCopy()
		if was.Spec.NodeName == "" {
			was.Spec.NodeName = after.Spec.NodeName
		}
		if len(after.Spec.SchedulingGates) < len(was.Spec.SchedulingGates) {
			was.Spec.SchedulingGates = after.Spec.SchedulingGates
		}
		return !equality.Semantic.DeepEqual(was.Spec, after.Spec) || !equality.Semantic.DeepEqual(metav1.GetControllerOf(was), metav1.GetControllerOf(after))
	})
}

// PodLabelled happens when a pod's value of the label changes, be it that it gets or loses the label.
func PodLabelled(label string, which ...Which) Event {
	return podEvent(which, "given another label "+label, func(before, after *corev1.Pod) bool {
		return before != nil && after != nil && before.Labels[label] != after.Labels[label]
	})
}

// PodGracePeriodShortened happens when a terminating pod is given less time than it had been, while a container of it still runs: once none does, its kubelet
// sees to it that the pod goes at once.
func PodGracePeriodShortened(which ...Which) Event {
	return podEvent(which, "given less time to end", func(before, after *corev1.Pod) bool {
		return before != nil && after != nil && runs(before) && before.DeletionGracePeriodSeconds != nil && after.DeletionGracePeriodSeconds != nil &&
			*after.DeletionGracePeriodSeconds < *before.DeletionGracePeriodSeconds
	})
}

func runs(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool { return status.State.Running != nil })
}

func restarts(pod *corev1.Pod) (count int32) {
	for _, status := range pod.Status.ContainerStatuses {
		count += status.RestartCount
	}
	return count
}

func ready(pod *corev1.Pod) bool { return pod != nil && history.IsReady(pod) }

func failed(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodFailed }
