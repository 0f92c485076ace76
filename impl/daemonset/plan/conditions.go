package plan

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionStalled is the type of the condition that is True while the rollout cannot go on without help, and False once it could again. A DaemonSet
// whose rollouts never stalled does not have it. docs/conditions.md documents it with its reasons as an API.
const ConditionStalled appsv1.DaemonSetConditionType = "Stalled"

// Reasons of ConditionStalled while it is True.
const (
	// StalledUnschedulable: the scheduler finds no place for the pod.
	StalledUnschedulable = "Unschedulable"
	// StalledHostPortConflict: the same, for want of a host port.
	StalledHostPortConflict = "HostPortConflict"
	// StalledImagePull: the image of a container cannot be had.
	StalledImagePull = "ImagePull"
	// StalledContainer: a container cannot be created, for example for want of a Secret.
	StalledContainer = "Container"
	// StalledCrashLoop: a container ends again and again.
	StalledCrashLoop = "CrashLoop"
	// StalledFailing: the pods themselves end again and again, and the next one has to wait.
	StalledFailing = "Failing"
	// StalledCreationRefused: the API server refuses to create a pod.
	StalledCreationRefused = "CreationRefused"
	// StalledDeletionRefused: the API server refuses to delete a pod.
	StalledDeletionRefused = "DeletionRefused"
	// StalledUpdateRefused: the API server refuses to update the pod in place.
	StalledUpdateRefused = "UpdateRefused"
	// StalledNotReady: the pod is not Ready for NotReadyDeadline.
	StalledNotReady = "NotReady"
)

// Reasons of ConditionStalled while it is False.
const (
	// StalledProgressing: the rollout goes on.
	StalledProgressing = "Progressing"
	// StalledRolledOut: every eligible node has an available updated pod, and no node an old one.
	StalledRolledOut = "RolledOut"
)

// Event reasons for the transitions of ConditionStalled (COND-002).
const (
	EventRolloutStalled = "RolloutStalled"
	EventRolloutResumed = "RolloutResumed"
)

// WithStalled returns conditions with those of type ConditionStalled replaced by the one of ours, which may have none: then they stay. The
// time of a transition changes with the status only, also where ours comes of a cache that does not show what was written last. Conditions of other types are
// others' (COND-005).
func WithStalled(conditions, ours []appsv1.DaemonSetCondition) []appsv1.DaemonSetCondition {
	stalled := stalledIn(ours)
	if stalled == nil {
		return conditions
	}
	conditions = slices.Clone(conditions)
	if at := stalledIn(conditions); at != nil {
		since, same := at.LastTransitionTime, at.Status == stalled.Status
		*at = *stalled
		if same {
			at.LastTransitionTime = since
		}
		return conditions
	}
	return append(conditions, *stalled)
}

func stalledIn(conditions []appsv1.DaemonSetCondition) *appsv1.DaemonSetCondition {
	for i := range conditions {
		if conditions[i].Type == ConditionStalled {
			return &conditions[i]
		}
	}
	return nil
}

// reportStall sets ConditionStalled in status, and tells of its transitions by events. It has to come after everything that decides about pods.
func (p *pass) reportStall(status *appsv1.DaemonSetStatus, views []*nodeView) {
	before := stalledIn(p.ds.Status.Conditions)
	wasTrue := before != nil && before.Status == corev1.ConditionTrue
	now := p.stalled(views, wasTrue && p.ds.Status.ObservedGeneration == p.ds.Generation)
	isTrue := now.Status == corev1.ConditionTrue
	if before == nil && !isTrue {
		return
	}
	switch {
	case isTrue == wasTrue:
	case isTrue:
		p.actions.Events = append(p.actions.Events, Event{Type: corev1.EventTypeWarning, Reason: EventRolloutStalled, Message: now.Message})
	default:
		p.actions.Events = append(p.actions.Events, Event{Type: corev1.EventTypeNormal, Reason: EventRolloutResumed, Message: now.Message})
	}
	status.Conditions = WithStalled(status.Conditions, []appsv1.DaemonSetCondition{now})
}

// stalled returns the condition as it is now, with now as the time of its transition. known says that it has been True for the same generation.
func (p *pass) stalled(views []*nodeView, known bool) appsv1.DaemonSetCondition {
	condition := appsv1.DaemonSetCondition{
		Type: ConditionStalled, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(p.now).Rfc3339Copy(),
		Reason: StalledProgressing, Message: "the rollout goes on",
	}
	if p.rolledOut(views) {
		condition.Reason, condition.Message = StalledRolledOut, "every node has an available pod of the current template"
		return condition
	}
	if p.moves(known) {
		return condition
	}
	found, moving := p.stalls(views, known)
	if moving || len(found) == 0 {
		return condition
	}
	condition.Status, condition.Reason, condition.Message = corev1.ConditionTrue, found[0].reason, found[0].message
	if more := len(found) - 1; more > 0 {
		condition.Message += fmt.Sprintf("; more nodes that wait: %d", more)
	}
	return condition
}

func (p *pass) rolledOut(views []*nodeView) bool {
	return !slices.ContainsFunc(views, func(view *nodeView) bool {
		return view.eligible && (!p.available(view.updated()) || len(view.olds) > 0)
	})
}

// moves reports whether this pass creates, deletes or updates pods. In a stall that is known, to replace a pod that ended is no move. Nor is it to try again
// what the API server refuses.
func (p *pass) moves(known bool) bool {
	return slices.ContainsFunc(p.actions.UpdatePods, func(update PodUpdate) bool { return !p.refusesUpdate(update.Node) }) || slices.ContainsFunc(p.actions.DeletePods, func(deletion PodDeletion) bool {
		_, refused := p.state.RefusedDeletions[deletion.Node]
		return !refused && (!known || deletion.Reason != ReasonFailed && deletion.Reason != ReasonSucceeded)
	}) || p.state.Refused == nil && slices.ContainsFunc(p.actions.CreatePods, func(creation PodCreation) bool {
		return !known || !p.state.Backoff[creation.Node].fails()
	})
}
