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

// AddConditions adds conditions that name a stall to those that did before: of each type the latest with each status, in the order in which they came.
func AddConditions(before, now []appsv1.DaemonSetCondition) []appsv1.DaemonSetCondition {
	earlier := slices.DeleteFunc(slices.Clone(before), func(condition appsv1.DaemonSetCondition) bool {
		return statusOf(now, condition.Type) == condition.Status
	})
	return append(earlier, now...)
}

// positive are the types of conditions that are True when all is well, by the conventions of Kubernetes.
var positive = []appsv1.DaemonSetConditionType{"Available", "Progressing", "Ready"}

// LeftConditions are those of the conditions that named a stall which now still has, each type once; whole reports whether it has all. One stands while it has its
// status. One that had several statuses in the stall may have had one of them as when all is well: it stands while it says what it said last.
func LeftConditions(found, now []appsv1.DaemonSetCondition) (left []appsv1.DaemonSetCondition, whole bool) {
	whole = true
	for i, condition := range found {
		ofType := func(other appsv1.DaemonSetCondition) bool { return other.Type == condition.Type }
		if slices.ContainsFunc(found[i+1:], ofType) {
			continue
		}
		stands := statusOf(now, condition.Type) == condition.Status && (condition.Status != corev1.ConditionTrue || !slices.Contains(positive, condition.Type))
		if stands && slices.ContainsFunc(found[:i], ofType) {
			stands = len(OtherConditions([]appsv1.DaemonSetCondition{condition}, slices.DeleteFunc(slices.Clone(now), func(other appsv1.DaemonSetCondition) bool { return !ofType(other) }))) == 0
		}
		if stands {
			left = append(left, condition)
		} else {
			whole = false
		}
	}
	return left, whole
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
