package variants

import (
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenReadings misread the status of pods, or write wrong labels.
func brokenReadings() []Variant {
	return []Variant{
		{Name: "takes-ready-containers-for-a-ready-pod", Says: "Takes a pod for Ready whose containers are, whatever its readiness gates say.",
			Breaks: []string{"AVAIL-001"},
			Planner: deciding(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool {
					c := condition(pod, corev1.ContainersReady)
					return c != nil && c.Status == corev1.ConditionTrue
				}, func(pod *corev1.Pod) { setReady(pod, condition(pod, corev1.ContainersReady).LastTransitionTime.Time) })
			})},
		{Name: "never-available-without-a-transition-time", Says: "Takes a Ready pod without a transition time for unavailable where minReadySeconds is 0, too.",
			Breaks: []string{"AVAIL-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return plan.IsReady(pod) && ready(pod).LastTransitionTime.IsZero() },
					func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionFalse })
			})},
		{Name: "a-wait-under-a-second-is-none", Says: "Sets timers in whole seconds, rounded down, and none of zero.",
			Breaks: []string{"AVAIL-005"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				actions.RequeueAfter = actions.RequeueAfter.Truncate(time.Second)
			})},
		{Name: "repairs-no-node-that-is-down", Says: "Creates no updated pod beside an old one that is not available while the node is not Ready.",
			Breaks: []string{"UNREADY-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				down := map[string]bool{}
				for _, node := range state.Nodes {
					down[node.Name] = !nodeReady(node)
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonOldUnavailable && down[c.Node] })
			})},
		{Name: "labels-pods-with-the-generation-of-the-daemonset", Says: "Labels pods with metadata.generation instead of the template generation.",
			Breaks: []string{"HISTORY-009"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					creation.Pod.Labels[plan.GenerationLabel] = strconv.FormatInt(state.DaemonSet.Generation, 10)
				}
			})},
	}
}

func nodeReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
