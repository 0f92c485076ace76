package simulation

import (
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// stallReported lets time pass, and checks what the status says of a stall then. No standing rule can: any condition will do for COND-001, and
// docs/conditions.md says which one this is.
func (w *world) stallReported(lasts time.Duration) {
	controller, process := w.controller, w.controller.process
	w.advance(lasts)
	// What happens at the end of it is too late to be known.
	begun := w.clock.now.Add(-20 * time.Second)
	if process == nil || controller.process != process || controller.faults.on || w.changedSince(begun) || w.objection != nil {
		return
	}
	w.objection = w.stallIs(w.expectedStall())
}

// changedSince reports whether anything but the status has changed.
func (w *world) changedSince(since time.Time) bool {
	for _, entry := range slices.Backward(w.api.entries) {
		switch {
		case entry.Time.Before(since):
			return false
		case entry.Kind != history.KindDaemonSet:
			return true
		}
	}
	return true
}

// expectedStall returns the reason that the stall has to have and a word that its message needs, by what the pods show; none if there is no stall. It is not
// certain where something may yet happen by itself.
func (w *world) expectedStall() (reason, word string, certain bool) {
	ds := w.api.daemonSet()
	current, _ := w.historyOf(ds)
	if len(current) != 1 || ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return "", "", false
	}
	for _, node := range w.api.nodes() {
		if !history.EligibilityOf(ds, node).ShouldRun {
			continue
		}
		why, about, known := w.causeOn(ds, node.Name, current[0].Labels[plan.HashLabel])
		if !known {
			return "", "", false
		}
		if reason == "" {
			reason, word = why, about
		}
	}
	return reason, word, true
}

// causeOn is the cause for which an eligible node has no available updated pod; none if it has one, or waits for its turn.
func (w *world) causeOn(ds *appsv1.DaemonSet, node, hash string) (why, about string, known bool) {
	var pods, updated []*corev1.Pod
	for _, pod := range w.api.pods() {
		if !metav1.IsControlledBy(pod, ds) || history.NodeOf(pod) != node {
			continue
		}
		pods = append(pods, pod)
		if pod.Labels[plan.HashLabel] == hash {
			updated = append(updated, pod)
		}
	}
	switch {
	case slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return !history.IsLive(pod) }), w.controller.process.backoff[node].Delay > 0, len(updated) > 1:
		return "", "", false
	case len(pods) == 0:
		return plan.StalledCreationRefused, node, w.controller.unwelcome
	case len(updated) == 0:
		// Its updated pod may be what the API server refuses.
		return "", "", !w.controller.unwelcome
	case history.IsAvailable(updated[0], ds.Spec.MinReadySeconds, w.clock.now):
		return "", "", true
	}
	why = causeOf(updated[0], w.clock.now)
	return why, updated[0].Name, why != ""
}

// causeOf is the reason of a stall that a pod shows, if it does.
func causeOf(pod *corev1.Pod, now time.Time) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			if strings.Contains(condition.Message, "ports") && len(pod.Spec.Containers[0].Ports) > 0 {
				return plan.StalledHostPortConflict
			}
			return plan.StalledUnschedulable
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		switch {
		case container.State.Waiting != nil && container.State.Waiting.Reason == "CrashLoopBackOff":
			return plan.StalledCrashLoop
		case container.State.Waiting != nil:
			return plan.StalledImagePull
		}
	}
	since := pod.CreationTimestamp.Time
	ready := history.Ready(pod)
	if ready != nil {
		since = ready.LastTransitionTime.Time
	}
	if (ready == nil || ready.Status != corev1.ConditionTrue) && now.Sub(since) > 11*time.Minute {
		return plan.StalledNotReady
	}
	return ""
}

// stallIs checks the condition.
func (w *world) stallIs(reason, word string, certain bool) error {
	if !certain {
		return nil
	}
	stalled := stalledIn(w.api.daemonSet())
	isTrue := stalled != nil && stalled.Status == corev1.ConditionTrue
	switch {
	case reason == "" && isTrue:
		return broken("COND-003", "a rollout that may go on is not stalled: got %s, %s", stalled.Reason, stalled.Message)
	case reason == "":
		return nil
	case !isTrue:
		return broken("COND-001", "a stall is reported: got %v, want %s of %s", stalled, reason, word)
	case stalled.Reason != reason || !strings.Contains(stalled.Message, word):
		return broken("COND-001", "a stall is reported with its cause: got %s, %s, want %s of %s", stalled.Reason, stalled.Message, reason, word)
	}
	return nil
}

func stalledIn(ds *appsv1.DaemonSet) *appsv1.DaemonSetCondition {
	for i := range ds.Status.Conditions {
		if ds.Status.Conditions[i].Type == plan.ConditionStalled {
			return &ds.Status.Conditions[i]
		}
	}
	return nil
}

// unstalled checks what a settled DaemonSet says of stalls: none, by a condition that changed its time with its status alone, events of either change, and
// what somebody else wrote is still there.
func (w *world) unstalled(ds *appsv1.DaemonSet) error {
	rolls := ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
	if now := stalledIn(ds); now != nil && (now.Status != corev1.ConditionFalse || rolls && now.Reason != plan.StalledRolledOut) {
		return broken("COND-003", "a finished rollout is not stalled: got %s, %s", now.Status, now.Reason)
	}
	if w.foreign && !slices.ContainsFunc(ds.Status.Conditions, func(c appsv1.DaemonSetCondition) bool { return c.Type == foreignCondition }) {
		return broken("COND-005", "conditions of others survive: got %v", ds.Status.Conditions)
	}
	var before *appsv1.DaemonSetCondition
	changes := map[string]bool{}
	for _, entry := range w.api.entries {
		daemonSet, is := entry.Object.(*appsv1.DaemonSet)
		if !is {
			continue
		}
		now := stalledIn(daemonSet)
		switch {
		case now == nil:
		case before != nil && before.Status == now.Status:
			if !before.LastTransitionTime.Equal(&now.LastTransitionTime) {
				return broken("COND-001", "the time of the transition changes with the status only: got %s after %s", now.LastTransitionTime, before.LastTransitionTime)
			}
		case now.LastTransitionTime.IsZero():
			return broken("COND-001", "a condition says since when: got none")
		case now.Status == corev1.ConditionTrue:
			changes[plan.EventRolloutStalled] = true
		default:
			changes[plan.EventRolloutResumed] = true
		}
		before = now
	}
	for _, reason := range slices.Sorted(maps.Keys(changes)) {
		if w.controller.events[reason] == 0 {
			return broken("COND-002", "an event tells of a transition: got none of %s", reason)
		}
	}
	return nil
}
