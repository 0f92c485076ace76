package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenOnDeletes do with the OnDelete strategy more than they should, or less.
func brokenOnDeletes() []Variant {
	return []Variant{
		{Name: "updates-although-on-delete", Says: "Updates by itself with the OnDelete strategy too.",
			Breaks: []string{"SURGE-015", "ONDELETE-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
			})},
		{Name: "on-delete-leaves-gaps", Says: "With the OnDelete strategy, creates no pod on an empty node while others have outdated ones.",
			Breaks: []string{"ONDELETE-002", "ONDELETE-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) && slices.ContainsFunc(nodes(state), func(n *node) bool { return len(n.olds) > 0 }) {
					withoutCreations(actions, func(plan.PodCreation) bool { return true })
				}
			})},
		{Name: "on-delete-refills-beside-ready-pods-alone", Says: "With the OnDelete strategy, creates no pod while one on another node is not Ready.",
			Breaks: []string{"ONDELETE-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				notReady := func(pod *corev1.Pod) bool { return !plan.IsReady(pod) }
				if onDelete(state) && slices.ContainsFunc(nodes(state), func(n *node) bool { return slices.ContainsFunc(slices.Concat(n.olds, n.news), notReady) }) {
					withoutCreations(actions, func(plan.PodCreation) bool { return true })
				}
			})},
		{Name: "on-delete-waits-for-pods-that-have-ended", Says: "With the OnDelete strategy, creates no pod beside one that has ended and is held back in deletion.",
			Breaks:  []string{"DRAIN-007"},
			Planner: waitForEnded(onDelete)},
		{Name: "on-delete-leaves-cordoned-nodes-empty", Says: "With the OnDelete strategy, creates no pod on a cordoned node.",
			Breaks: []string{"DRAIN-001", "ONDELETE-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				cordoned := map[string]bool{}
				for _, node := range state.Nodes {
					cordoned[node.Name] = onDelete(state) && node.Spec.Unschedulable
				}
				withoutCreations(actions, func(creation plan.PodCreation) bool { return cordoned[creation.Node] })
			})},
		{Name: "on-delete-does-not-back-off", Says: "With the OnDelete strategy, replaces pods that fail at once, however often.",
			Breaks: []string{"TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if onDelete(*state) {
					state.Backoff = nil
				}
			})},
		{Name: "on-delete-writes-history-with-the-first-pod", Says: "With the OnDelete strategy, creates a template's history when a pod is to be created of it.",
			Breaks: []string{"ONDELETE-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				full := !slices.ContainsFunc(nodes(state), func(n *node) bool { return n.eligible && len(n.olds)+len(n.news) == 0 })
				if onDelete(state) && full {
					actions.CreateRevision = nil
				}
			})},
		{Name: "on-delete-keeps-history", Says: "With the OnDelete strategy, deletes no history.",
			Breaks: []string{"ONDELETE-004"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) {
					actions.DeleteRevisions = nil
				}
			})},
		{Name: "on-delete-keeps-pods-on-nodes-that-left", Says: "With the OnDelete strategy, deletes no pod from a node that must not run it any more.",
			Breaks: []string{"TARGET-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) {
					withoutDeletions(actions, deletedFor(plan.ReasonIneligible))
				}
			})},
		{Name: "on-delete-replaces-pods-that-are-not-ready", Says: "With the OnDelete strategy, deletes outdated pods that are not Ready.",
			Breaks: []string{"ONDELETE-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if !onDelete(state) {
					return
				}
				for _, n := range nodes(state) {
					for _, old := range n.olds {
						if n.eligible && !plan.IsReady(old) {
							remove(actions, old, plan.ReasonOldUnavailable)
						}
					}
				}
			})},
		{Name: "on-delete-replaces-pods-that-wait", Says: "With the OnDelete strategy, deletes outdated pods that the scheduler has bound to no node.",
			Breaks: []string{"ONDELETE-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if !onDelete(state) || state.AwaitingOwnWrites {
					return
				}
				for _, n := range nodes(state) {
					for _, old := range n.olds {
						if n.eligible && old.Spec.NodeName == "" {
							remove(actions, old, plan.ReasonOldUnavailable)
						}
					}
				}
			})},
		{Name: "on-delete-gives-joining-nodes-what-others-have",
			Says:   "With the OnDelete strategy, gives a node that never had a pod one of the revision that the pods of other nodes are of.",
			Breaks: []string{"HISTORY-009", "TARGET-004"}, Planner: remember(joinAsOthers)},
		{Name: "on-delete-leaves-the-number-of-a-rollback", Says: "With the OnDelete strategy, leaves the number of the history that a rollback goes back to.",
			Breaks: []string{"HISTORY-010"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if onDelete(state) {
					withoutUpdates(actions, func(update plan.RevisionUpdate) bool { return renumbers(state, update) })
				}
			})},
	}
}

func onDelete(state plan.State) bool {
	return state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
}

// nodesFilled are the nodes that had a pod.
type nodesFilled map[string]bool

func joinAsOthers(m *memory[nodesFilled]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		filled := m.of(state)
		if *filled == nil {
			*filled = nodesFilled{}
		}
		var others []*corev1.Pod
		for _, n := range nodes(state) {
			others = append(others, n.olds...)
			if len(n.olds)+len(n.news)+len(n.ended)+len(n.leaving) > 0 {
				(*filled)[n.name] = true
			}
		}
		if !onDelete(state) || len(others) == 0 {
			return
		}
		actions.CreatePods = slices.Clone(actions.CreatePods)
		for i, creation := range actions.CreatePods {
			if !(*filled)[creation.Node] {
				createOf(others[0].Labels[plan.HashLabel], &actions.CreatePods[i], state)
			}
		}
	})
}
