package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenGates do otherwise while the feature gate DaemonSetUpdateSurge is off.
func brokenGates() []Variant {
	return []Variant{
		{Name: "surges-unasked", Says: "Surges on one node at a time where maxSurge is not set.", Breaks: []string{"GATE-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
				if limits := spec.UpdateStrategy.RollingUpdate; limits != nil && limitOf(state, maxSurge) == 0 {
					limits.MaxSurge, limits.MaxUnavailable = ptr.To(intstr.FromInt32(1)), ptr.To(intstr.FromInt32(0))
				}
			})},
		{Name: "surges-for-the-new-alone", Says: "Ignores maxSurge of DaemonSets that are older than its process.", Breaks: []string{"GATE-006"},
			Planner: sinceStart(func(began func(now time.Time) time.Time) Around {
				return seeing(func(state *plan.State, now time.Time) {
					state.SurgeDisabled = state.SurgeDisabled || state.DaemonSet.CreationTimestamp.Time.Before(began(now).Truncate(time.Second))
				})
			})},
		{Name: "surges-without-the-gate", Says: "Surges although the feature gate is off.",
			Breaks:  []string{"GATE-002", "GATE-003", "GATE-007", "GATE-008", "GATE-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.SurgeDisabled = false })},
		{Name: "stands-still-without-the-gate", Says: "Deletes no available old pod while the feature gate is off and maxUnavailable is zero.",
			Breaks: []string{"GATE-003", "GATE-007", "GATE-008"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.SurgeDisabled && limitOf(state, maxUnavailable) == 0 {
					withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
				}
			})},
		{Name: "gives-up-available-pods-without-the-gate", Says: "Keeps the updated one of two pods while the feature gate is off, whether or not it is available.",
			Breaks: []string{"GATE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if !state.SurgeDisabled || state.AwaitingOwnWrites {
					return
				}
				for _, n := range nodes(state) {
					if len(n.olds) == 1 && len(n.news) == 1 {
						withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name })
						remove(actions, n.olds[0], plan.ReasonDuplicate)
					}
				}
			})},
	}
}
