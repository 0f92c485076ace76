package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStalls report a rollout that cannot go on wrongly, or not at all.
func brokenStalls() []Variant {
	isStalled := func(c appsv1.DaemonSetCondition) bool { return c.Type == plan.ConditionStalled }
	return []Variant{
		{Name: "says-nothing-of-a-stall", Says: "Has no condition and records no event when a rollout cannot go on.",
			Breaks: []string{"COND-001", "COND-002", "HOSTPORT-010"},
			Planner: both(
				doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
					actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Pod == nil })
				}),
				reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
					status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), isStalled)
				}))},
		{Name: "keeps-saying-it-is-stalled", Says: "Leaves the condition of a stalled rollout as it is when that goes on.",
			Breaks: []string{"COND-003"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				before := slices.IndexFunc(state.DaemonSet.Status.Conditions, isStalled)
				if before >= 0 && state.DaemonSet.Status.Conditions[before].Status == corev1.ConditionTrue {
					status.Conditions = plan.WithStalled(status.Conditions, state.DaemonSet.Status.Conditions)
				}
			})},
		{Name: "asks-the-first-container-why", Says: "Looks for the cause of a stall in what a pod says of its first container alone.",
			Breaks: []string{"COND-001", "COND-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				unready := func(pod *corev1.Pod) bool {
					return !plan.IsReady(pod) && len(pod.Status.ContainerStatuses) > 1 && !inPlace(*state)
				}
				changePods(state, unready, func(pod *corev1.Pod) { pod.Status.ContainerStatuses = pod.Status.ContainerStatuses[:1] })
			})},
		{Name: "keeps-the-first-cause-of-a-stall", Says: "Leaves the reason and the message of its condition as they are while the rollout is stalled.",
			Breaks: []string{"COND-001"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				before := stalledSince(state.DaemonSet.Status)
				status.Conditions = slices.Clone(status.Conditions)
				for i := range status.Conditions {
					if c := &status.Conditions[i]; before != nil && isStalled(*c) && c.Status == corev1.ConditionTrue {
						c.Reason, c.Message = before.Reason, before.Message
					}
				}
			})},
		{Name: "stalls-without-a-cause", Says: "Says in its condition that a rollout is stalled, but not why.",
			Breaks: []string{"COND-001", "HOSTPORT-010"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				status.Conditions = slices.Clone(status.Conditions)
				for i := range status.Conditions {
					if isStalled(status.Conditions[i]) {
						status.Conditions[i].Reason, status.Conditions[i].Message = "Stalled", "the rollout cannot go on"
					}
				}
			})},
	}
}
