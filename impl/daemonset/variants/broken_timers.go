package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenTimers read clocks wrongly, or set the wrong one of several timers.
func brokenTimers() []Variant {
	return []Variant{
		{Name: "rounds-the-time-that-passed", Says: "Takes a pod for available half a second before minReadySeconds have passed.",
			Breaks: []string{"AVAIL-003", "SURGE-006"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions { return next(state, now.Add(500*time.Millisecond)) }
			}},
		{Name: "a-time-to-come-is-long-ago", Says: "Takes a Ready pod for available whose transition time is still to come.",
			Breaks: []string{"RECOVERY-004", "AVAIL-001", "SURGE-006"},
			Planner: seeing(func(state *plan.State, now time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return plan.IsReady(pod) && ready(pod).LastTransitionTime.After(now) }, func(pod *corev1.Pod) {
					setReady(pod, now.Add(-time.Hour))
				})
			})},
		{Name: "no-timer-with-on-delete", Says: "Sets no timer for when a pod becomes available with the OnDelete strategy.",
			Breaks: []string{"STATUS-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if onDelete(state) && len(clocks(state, now)) > 0 {
					actions.RequeueAfter = 0
				}
			})},
		{Name: "no-timer-once-all-pods-are-updated", Says: "Sets no timer for when a pod becomes available if every node has an updated pod and no old one.",
			Breaks: []string{"STATUS-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if !actions.RolloutInProgress && len(clocks(state, now)) > 0 {
					actions.RequeueAfter = 0
				}
			})},
	}
}
