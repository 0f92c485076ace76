package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStallEnds do not know what to do when a rollout that stood still is overtaken or goes on.
func brokenStallEnds() []Variant {
	return []Variant{
		{Name: "a-rollback-keeps-the-younger-ready-pod",
			Says:   "Keeps the surge pod of the rollout that was rolled back where it is Ready, and replaces it by another pod of the revision that it went back to.",
			Breaks: []string{"ROLLBACK-002", "ROLLBACK-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if maySurge(state) {
					swapDuplicates(actions, state, plan.ReasonReplaced, func(deleted, kept *corev1.Pod) bool {
						return plan.IsReady(deleted) && kept.CreationTimestamp.Before(&deleted.CreationTimestamp)
					})
				}
			})},
		{Name: "a-rollback-leaves-the-stall-standing", Says: "Reports a stall as over only when a pod was created since it was reported.",
			Breaks: []string{"COND-003"},
			Planner: both(
				doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					if nothingCreatedSinceStall(state) {
						actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Reason == plan.EventRolloutResumed })
					}
				}),
				reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
					if nothingCreatedSinceStall(state) {
						status.Conditions = plan.WithStalled(status.Conditions, state.DaemonSet.Status.Conditions)
					}
				}))},
		{Name: "on-delete-leaves-the-stall-standing", Says: "Leaves its condition as it is with the OnDelete strategy.", Breaks: []string{"COND-003"},
			Planner: both(
				reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
					if onDelete(state) {
						status.Conditions = state.DaemonSet.Status.Conditions
					}
				}),
				doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					if onDelete(state) {
						actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool { return event.Reason == plan.EventRolloutResumed })
					}
				}))},
		{Name: "tells-of-the-first-stall-only", Says: "Records an event about the first stall of each DaemonSet, and about no other.",
			Breaks: []string{"COND-002"}, Planner: remember(func(m *memory[stallTold]) Around {
				return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					seen := m.of(state)
					actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool {
						if e.Reason != plan.EventRolloutStalled {
							return false
						}
						before := seen.told
						seen.told = true
						return before
					})
				})
			})},
		{Name: "the-end-of-a-stall-takes-the-conditions-of-others", Says: "Writes its own condition and no other when a rollout goes on that stood still.",
			Breaks: []string{"COND-005"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if stalledSince(state.DaemonSet.Status) != nil && stalledSince(*status) == nil {
					status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c appsv1.DaemonSetCondition) bool { return c.Type != plan.ConditionStalled })
				}
			})},
		{Name: "a-refusal-stops-handovers", Says: "Deletes no old pod whose successor is available while the API server refuses to create pods.",
			Breaks: []string{"SURGE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.Refused != nil {
					withoutDeletions(actions, deletedFor(plan.ReasonReplaced))
				}
			})},
	}
}

// stallTold reports whether an event was recorded about a stall.
type stallTold struct{ told bool }

// stalledSince returns the condition of a stall that lasts, or nil.
func stalledSince(status appsv1.DaemonSetStatus) *appsv1.DaemonSetCondition {
	for i, c := range status.Conditions {
		if c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue {
			return &status.Conditions[i]
		}
	}
	return nil
}

func nothingCreatedSinceStall(state plan.State) bool {
	stalled := stalledSince(state.DaemonSet.Status)
	return stalled != nil && !slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return stalled.LastTransitionTime.Before(&pod.CreationTimestamp) })
}
