package variants

import (
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
		{Name: "labels-pods-with-the-generation-of-the-daemonset", Says: "Labels pods with metadata.generation instead of the template generation.",
			Breaks: []string{"HISTORY-009"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					creation.Pod.Labels[plan.GenerationLabel] = strconv.FormatInt(state.DaemonSet.Generation, 10)
				}
			})},
	}
}
