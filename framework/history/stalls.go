package history

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Hindrances are the words that show what keeps a pod from becoming available: its name, its node, and what the scheduler and the kubelet say about it.
// There are none if nothing is known to.
func Hindrances(pod *corev1.Pod) []string {
	var said []string
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			said = append(said, condition.Message)
		}
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
			said = append(said, waiting.Reason, waiting.Message, container.Image)
		}
	}
	if pod.Status.Phase == corev1.PodFailed {
		said = append(said, pod.Status.Reason, pod.Status.Message)
	}
	if said == nil {
		return nil
	}
	words := append(said, pod.Name, NodeOf(pod))
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// StallConditions are those conditions whose status, or presence, is not that of before, and whose reason or message has one of the words.
func StallConditions(before, now []appsv1.DaemonSetCondition, words []string) []appsv1.DaemonSetCondition {
	var found []appsv1.DaemonSetCondition
	for _, condition := range now {
		text := condition.Reason + " " + condition.Message
		names := func(word string) bool { return strings.Contains(text, word) }
		if statusOf(before, condition.Type) != condition.Status && slices.ContainsFunc(words, names) {
			found = append(found, condition)
		}
	}
	return found
}

// OtherConditions are those of now that say something else than one of before: of another type, or with another status, reason or message.
func OtherConditions(before, now []appsv1.DaemonSetCondition) []appsv1.DaemonSetCondition {
	return slices.DeleteFunc(slices.Clone(now), func(condition appsv1.DaemonSetCondition) bool {
		return slices.ContainsFunc(before, func(other appsv1.DaemonSetCondition) bool {
			return other.Type == condition.Type && other.Status == condition.Status && other.Reason == condition.Reason && other.Message == condition.Message
		})
	})
}

// LatestConditions are the conditions of before and of now, without those of before of whose type there is one now: what a controller said of a stall first, it may
// say when all is well, as that it goes on.
func LatestConditions(before, now []appsv1.DaemonSetCondition) []appsv1.DaemonSetCondition {
	earlier := slices.DeleteFunc(slices.Clone(before), func(condition appsv1.DaemonSetCondition) bool { return statusOf(now, condition.Type) != "" })
	return append(earlier, now...)
}

// StandingConditions are those that now still has with the status in which they were found.
func StandingConditions(found, now []appsv1.DaemonSetCondition) []appsv1.DaemonSetCondition {
	return slices.DeleteFunc(slices.Clone(found), func(condition appsv1.DaemonSetCondition) bool {
		return statusOf(now, condition.Type) != condition.Status
	})
}

// statusOf is the status of the condition, empty if there is none.
func statusOf(conditions []appsv1.DaemonSetCondition, kind appsv1.DaemonSetConditionType) corev1.ConditionStatus {
	for _, condition := range conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return ""
}

// podReasons are the reasons of Events that Kubernetes' DaemonSet controller records about single pods.
var podReasons = []string{
	"SuccessfulCreate", "FailedCreate", "SuccessfulDelete", "FailedDelete", "FailedDaemonPod", "SucceededDaemonPod", "FailedPlacement",
}

// EventInterval is a stretch of the Events about a DaemonSet, in their order: those of a stall, or those from before or after one.
type EventInterval struct {
	Stalled bool
	Events  []*corev1.Event
}

// StallEvents are the Events of the last interval that tell of its stall: their reasons are none of Kubernetes' for Events about single pods, and none of those from
// outside of stalls. One that told of an earlier stall may come again, and may come once more when that is over.
func StallEvents(intervals ...EventInterval) []*corev1.Event {
	others, told := map[string]bool{}, map[string]bool{}
	var telling []*corev1.Event
	for _, interval := range intervals {
		telling = nil
		for _, event := range interval.Events {
			switch {
			case !interval.Stalled:
				others[event.Reason] = others[event.Reason] || !told[event.Reason]
			case !others[event.Reason] && !slices.Contains(podReasons, event.Reason):
				told[event.Reason] = true
				telling = append(telling, event)
			}
		}
	}
	return telling
}
