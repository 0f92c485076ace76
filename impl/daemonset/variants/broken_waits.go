package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenWaits are wrong about pods that wait for the scheduler, as whoever finds pods by the node that they run on.
func brokenWaits() []Variant {
	return []Variant{
		{Name: "pods-that-wait-use-no-history", Says: "Deletes histories beyond the limit that only pods are of which wait for the scheduler.",
			Breaks: []string{"HISTORY-017"}, Planner: trimWithout(waits)},
		{Name: "an-overtaken-pod-that-waits-stays", Says: "Leaves a surge pod that waits for the scheduler when another revision overtakes its own.",
			Breaks: []string{"ROLLOVER-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					return maySurge(state) && waits(d.Pod) && d.Reason == plan.ReasonDuplicate
				})
			})},
		{Name: "a-rollback-leaves-surge-pods-that-wait",
			Says:   "Leaves a surge pod that waits for the scheduler beside the pod of the revision that a rollback goes back to.",
			Breaks: []string{"ROLLBACK-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					return maySurge(state) && waits(d.Pod) && d.Reason == plan.ReasonReplaced
				})
			})},
		{Name: "waiting-pods-stay-where-none-belongs", Says: "Leaves a pod that waits for the scheduler where its node leaves the selector.",
			Breaks: []string{"TARGET-002"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutDeletions(actions, func(d plan.PodDeletion) bool { return waits(d.Pod) && d.Reason == plan.ReasonIneligible })
			})},
		{Name: "a-repair-waits-for-pods-that-wait", Says: "Deletes an old pod that waits for the scheduler only while maxUnavailable is not used up.",
			Breaks: []string{"ROLLOVER-004"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				room := roomOf(state, now)
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					return !maySurge(state) && room <= 0 && waits(d.Pod) && d.Reason == plan.ReasonOldUnavailable
				})
			})},
	}
}

func waits(pod *corev1.Pod) bool { return pod.Spec.NodeName == "" }
