package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRollings keep maxUnavailable wrongly.
func brokenRollings() []Variant {
	return []Variant{
		{Name: "takes-one-node-more-down", Says: "Lets one node more be unavailable than maxUnavailable allows.",
			Breaks: []string{"ROLLING-002", "ROLLING-003"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state), true) + 1
			})},
		{Name: "ignores-max-unavailable", Says: "Takes down every old pod at once, whatever maxUnavailable says.",
			Breaks:  []string{"ROLLING-002"},
			Planner: limiting(maxUnavailable, func(_ *intstr.IntOrString, state plan.State, _ time.Time) int { return 2 * len(state.Nodes) })},
		{Name: "percentage-of-all-nodes-rolling", Says: "Takes the percentage of maxUnavailable of all nodes instead of the eligible ones.",
			Breaks: []string{"ROLLING-004"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, len(state.Nodes), true)
			})},
		{Name: "percentage-of-the-first-look-rolling", Says: "Does not compute the percentage of maxUnavailable again when nodes leave during a rollout.",
			Breaks: []string{"ROLLING-004", "ROLLING-002"}, Planner: firstLook(maxUnavailable)},
		{Name: "broken-updated-pods-cost-nothing", Says: "Does not count a node as unavailable whose updated pod is not available.",
			Breaks: []string{"ROLLING-010", "ROLLING-012"},
			Planner: deciding(func(state *plan.State, now time.Time) {
				isUpdated := updated(*state)
				changePods(state, isUpdated, func(pod *corev1.Pod) { setReady(pod, now.Add(-time.Hour)) })
			})},
		{Name: "terminating-pods-cost-nothing", Says: "Does not count a node as unavailable whose only pod is terminating.",
			Breaks: []string{"ROLLING-009", "ROLLING-011"},
			Planner: deciding(func(state *plan.State, _ time.Time) {
				leaving := map[string]bool{}
				for _, n := range nodes(*state) {
					leaving[n.name] = len(n.leaving) > 0 && len(n.olds)+len(n.news)+len(n.ended) == 0
				}
				withoutNodes(state, func(name string) bool { return leaving[name] })
			})},
		{Name: "unhealthy-pods-wait-their-turn", Says: "Replaces old pods in the order of their nodes, be they healthy or not.",
			Breaks: []string{"ROLLING-006"},
			Planner: deciding(func(state *plan.State, now time.Time) {
				if maySurge(*state) {
					return
				}
				isUpdated := updated(*state)
				changePods(state, func(pod *corev1.Pod) bool { return !isUpdated(pod) && pod.DeletionTimestamp == nil }, func(pod *corev1.Pod) {
					setReady(pod, now.Add(-time.Hour))
				})
			})},
		{Name: "unhealthy-old-pods-cost-nothing", Says: "Does not count unhealthy old pods against maxUnavailable.",
			Breaks: []string{"ROLLING-007", "ROLLING-008"}, Planner: unhealthyCostNothing},
		{Name: "does-not-wait-for-terminating-pods", Says: "Creates the next pod beside a terminating one although it may not surge.",
			Breaks: []string{"DRAIN-003"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if !maySurge(*state) {
					withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
				}
			})},
		{Name: "gives-lingering-pods-two-seconds", Says: "Creates the next pod beside one that has been terminating for two seconds although it may not surge.",
			Breaks: []string{"DRAIN-003"}, Planner: remember(losePatience)},
		{Name: "stops-half-way", Says: "Stops the rollout when half of the nodes are updated.",
			Breaks: []string{"SURGE-011", "ROLLING-001"}, Planner: doing(stopHalfWay)},
	}
}

// unhealthyCostNothing deletes what the true state asks for of unhealthy pods, and of others what it would were there no nodes with unhealthy ones.
func unhealthyCostNothing(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil || maySurge(state) {
			return actions
		}
		unhealthy := map[string]bool{}
		for _, n := range nodes(state) {
			for _, pod := range n.olds {
				unhealthy[n.name] = unhealthy[n.name] || !plan.IsReady(pod)
			}
		}
		masked := state
		withoutNodes(&masked, func(name string) bool { return unhealthy[name] })
		for _, deletion := range next(masked, now).DeletePods {
			remove(&actions, deletion.Pod, deletion.Reason)
		}
		return actions
	}
}

func losePatience(m *memory[holding]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		if maySurge(*state) {
			return
		}
		h := m.of(*state)
		withoutPods(state, func(pod *corev1.Pod) bool {
			return pod.DeletionTimestamp != nil && !h.held(string(pod.UID), 2*time.Second, now, &plan.Actions{})
		})
	})
}

func stopHalfWay(actions *plan.Actions, state plan.State, now time.Time) {
	done := 0
	for _, n := range nodes(state) {
		if n.eligible && available(state, n.news, now) {
			done++
		}
	}
	if 2*done < eligibleNodes(state) {
		return
	}
	withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason != plan.ReasonMissing })
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		return d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable || d.Reason == plan.ReasonIneligible
	})
}
