package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenEnds treat pods wrongly that have ended, are about to, or end again and again.
func brokenEnds() []Variant {
	return []Variant{
		{Name: "evicted-pods-need-no-back-off", Says: "Replaces pods at once that failed because their kubelet evicted them, again and again.",
			Breaks: []string{"TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				forgetBackoffs(state, func(n *node) bool {
					return slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return pod.Status.Reason == "Evicted" })
				})
			})},
		{Name: "pods-that-were-ready-need-no-back-off", Says: "Replaces pods at once that failed after they were Ready, again and again.",
			Breaks: []string{"TARGET-010"},
			Planner: remember(func(m *memory[latched]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					seen := m.of(*state)
					if seen.pods == nil {
						seen.pods = map[string]bool{}
					}
					for _, pod := range state.Pods {
						seen.pods[string(pod.UID)] = seen.pods[string(pod.UID)] || plan.IsReady(pod)
					}
					forgetBackoffs(state, func(n *node) bool {
						return slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return seen.pods[string(pod.UID)] })
					})
				})
			})},
		{Name: "on-delete-leaves-failed-pods", Says: "With the OnDelete strategy, leaves outdated pods that failed to whoever is to delete them.",
			Breaks: []string{"TARGET-009"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				isUpdated := updated(state)
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					return onDelete(state) && d.Reason == plan.ReasonFailed && !isUpdated(d.Pod)
				})
			})},
		{Name: "crash-looping-pods-take-no-slot", Says: "Does not hold a surge pod against maxSurge whose container ends again and again.",
			Breaks: []string{"PAUSE-003"}, NeedsKubelets: true,
			Planner: lenient(maxSurge, func(n *node, state plan.State, now time.Time) bool {
				return n.surges(state, now) && slices.ContainsFunc(n.news, crashes)
			})},
		{Name: "two-terminating-pods-are-enough", Says: "Replaces no pod of a node on which two are terminating.",
			Breaks: []string{"DRAIN-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, n := range nodes(state) {
					if len(n.leaving) > 1 {
						withoutCreations(actions, func(c plan.PodCreation) bool { return c.Node == n.name })
					}
				}
			})},
	}
}

// forgetBackoffs forgets what has failed on the nodes that which selects.
func forgetBackoffs(state *plan.State, which func(*node) bool) {
	forgotten := map[string]bool{}
	for _, n := range nodes(*state) {
		forgotten[n.name] = which(n)
	}
	state.Backoff = backoffs(*state, func(name string, b plan.Backoff) plan.Backoff {
		if forgotten[name] {
			return plan.Backoff{}
		}
		return b
	})
}

func crashes(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
	})
}
