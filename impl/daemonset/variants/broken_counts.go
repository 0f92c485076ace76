package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCounts count the wrong nodes.
func brokenCounts() []Variant {
	return []Variant{
		{Name: "a-drain-pauses-the-rollout", Says: "Creates no surge pod while a cordoned node has no available pod.",
			Breaks: []string{"SURGE-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				drained := func(n *node) bool { return n.object.Spec.Unschedulable && n.unavailable(state, now) }
				if slices.ContainsFunc(nodes(state), drained) {
					withoutCreations(actions, createdFor(plan.ReasonSurge))
				}
			})},
		{Name: "pending-old-pods-go-last", Says: "Deletes no Pending old pod while there are available old ones.",
			Breaks: []string{"ROLLING-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				others := func(n *node) bool { return available(state, n.olds, now) }
				if !maySurge(state) && slices.ContainsFunc(nodes(state), others) {
					withoutDeletions(actions, func(d plan.PodDeletion) bool {
						return d.Reason == plan.ReasonOldUnavailable && d.Pod.Status.Phase == corev1.PodPending
					})
				}
			})},
		{Name: "a-stall-ends-with-its-pods-alone", Says: "Reports a stall as over only when an updated pod that was not available during it is.",
			Breaks: []string{"COND-003"}, Planner: remember(keepStall)},
	}
}

// stalledNodes are those whose updated pod was not available when the stall was reported.
type stalledNodes map[string]bool

func keepStall(m *memory[stalledNodes]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		stalled, isStall := m.of(state), func(c appsv1.DaemonSetCondition) bool {
			return c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue
		}
		stored := slices.IndexFunc(state.DaemonSet.Status.Conditions, isStall)
		if actions.Status == nil {
			return
		}
		if slices.ContainsFunc(actions.Status.Conditions, isStall) {
			if stored < 0 {
				*stalled = stalledNodes{}
			}
			for _, n := range nodes(state) {
				if n.eligible && len(n.news) > 0 && !available(state, n.news, now) {
					(*stalled)[n.name] = true
				}
			}
			return
		}
		over := func(n *node) bool { return (*stalled)[n.name] && available(state, n.news, now) }
		if stored >= 0 && !slices.ContainsFunc(nodes(state), over) {
			actions.Status.Conditions = state.DaemonSet.Status.Conditions
			actions.Status = unlessWritten(state, actions.Status)
		}
	})
}
