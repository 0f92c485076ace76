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
		{Name: "no-timer-for-old-pods", Says: "Sets a timer for when an updated pod becomes available, and none for old ones.",
			Breaks: []string{"STATUS-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if len(clocks(state, now)) == 0 {
					return
				}
				actions.RequeueAfter = 0
				isOld := func(pod *corev1.Pod) bool { return !updated(state)(pod) }
				withoutPods(&state, isOld)
				for _, wait := range clocks(state, now) {
					comeBack(actions, wait)
				}
			})},
		{Name: "no-timer-for-less-than-a-second", Says: "Sets no timer for when a pod becomes available that does so within a second.",
			Breaks: []string{"SURGE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				for _, wait := range clocks(state, now) {
					if wait < time.Second && actions.RequeueAfter >= wait {
						actions.RequeueAfter = 0
					}
				}
			})},
		{Name: "no-timer-for-more-than-half-a-minute", Says: "Sets no timer for when a pod becomes available that does so in more than half a minute.",
			Breaks: []string{"AVAIL-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				for _, wait := range clocks(state, now) {
					if wait > 30*time.Second && actions.RequeueAfter >= wait {
						actions.RequeueAfter = 0
					}
				}
			})},
		{Name: "a-refused-pod-takes-the-place-of-the-timer", Says: "Comes back only to try again, whatever else the clock makes due, while the API server refuses a pod.",
			Breaks: []string{"AVAIL-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.Refused != nil && len(actions.CreatePods) > 0 {
					actions.RequeueAfter = 0
				}
			})},
		{Name: "one-timer-for-each-pod", Says: "Leaves the timer of a Ready pod as it is when minReadySeconds are lowered.",
			Breaks: []string{"AVAIL-007"}, Planner: remember(oneTimer(true))},
		{Name: "one-timer-for-each-pod-and-no-other", Says: "Sets a timer when a pod becomes Ready, and no other where minReadySeconds are raised while it runs.",
			Breaks: []string{"AVAIL-005"}, Planner: remember(oneTimer(false))},
		{Name: "no-timer-once-all-pods-are-updated", Says: "Sets no timer for when a pod becomes available if every node has an updated pod and no old one.",
			Breaks: []string{"STATUS-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if !actions.RolloutInProgress && len(clocks(state, now)) > 0 {
					actions.RequeueAfter = 0
				}
			})},
	}
}

// ends are when timers end that were set, by pod and since when it is Ready.
type ends map[string]time.Time

// oneTimer sets the timer of a pod when it is Ready, and leaves it as it is. Once it has ended another one is set if the pod is to have that.
func oneTimer(another bool) func(m *memory[ends]) Around {
	return func(m *memory[ends]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			before, running := *m.of(state), ends{}
			for _, pod := range state.Pods {
				at, known := plan.AvailableAt(pod, state.DaemonSet.Spec.MinReadySeconds)
				if !known || !at.After(now) {
					continue
				}
				key := string(pod.UID) + ready(pod).LastTransitionTime.String()
				running[key] = at
				if end, set := before[key]; set && (end.After(now) || !another) {
					running[key] = end
				}
			}
			*m.of(state) = running
			if len(running) == 0 {
				return
			}
			actions.RequeueAfter = 0
			for _, end := range running {
				if end.After(now) {
					comeBack(actions, end.Sub(now))
				}
			}
		})
	}
}
