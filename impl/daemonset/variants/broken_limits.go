package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenLimits do wrong sums with maxSurge and maxUnavailable.
func brokenLimits() []Variant {
	return []Variant{
		{Name: "a-negative-budget-wraps", Says: "Takes every old pod down once more nodes are unavailable than maxUnavailable allows.",
			Breaks: []string{"ROLLING-011", "ROLLING-008", "ROLLING-002"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
				return wrapped(scaled(value, eligibleNodes(state), true), howMany(nodes(state), func(n *node) bool { return n.unavailable(state, now) }))
			})},
		{Name: "a-negative-number-of-slots-wraps", Says: "Surges on every node once more nodes surge than maxSurge allows.",
			Breaks: []string{"SURGE-020", "SURGE-002"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
				return wrapped(scaled(value, eligibleNodes(state), true), len(surging(state, now)))
			})},
		{Name: "whole-percentages-round-up-too", Says: "Takes one node more for a percentage of maxUnavailable that gives a whole number.",
			Breaks: []string{"ROLLING-002", "ROLLING-004"}, Planner: limiting(maxUnavailable, downAndOne)},
		{Name: "whole-percentages-round-up-too-surging", Says: "Takes one node more for a percentage of maxSurge that gives a whole number.",
			Breaks: []string{"SURGE-002", "SURGE-004"}, Planner: limiting(maxSurge, downAndOne)},
		{Name: "pods-of-closed-nodes-stand-in", Says: "Lets one node more be unavailable for each ineligible node that has an available pod.",
			Breaks: []string{"ROLLING-002"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return !n.eligible && (available(state, n.olds, now) || available(state, n.news, now))
			})},
		{Name: "leaves-a-closed-node-one-pod-too-early", Says: "Deletes an available old pod of an ineligible node while as many pods are available as are desired.",
			Breaks: []string{"SURGE-017"}, Planner: doing(leaveTooEarly)},
		{Name: "zero-percent-is-above-zero", Says: "Replaces pods while they terminate where maxSurge is a percentage, of zero too.",
			Breaks: []string{"DRAIN-003"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				limits := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
				if limits != nil && limits.MaxSurge != nil && limits.MaxSurge.Type == intstr.String && !maySurge(*state) {
					withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
				}
			})},
		{Name: "a-percentage-is-one-node-at-least", Says: "Takes a limit for one node that is a percentage, of zero too.",
			Breaks: []string{"STRESS-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				rolling := spec.UpdateStrategy.RollingUpdate
				if rolling == nil {
					return
				}
				for _, which := range []limit{maxSurge, maxUnavailable} {
					if value := *which(rolling); value != nil && value.Type == intstr.String && scaled(value, 100, true) == 0 {
						*which(rolling) = ptr.To(intstr.FromInt32(1))
					}
				}
			})},
		{Name: "keeps-the-max-unavailable-of-the-beginning", Says: "Does not notice during a rollout that maxUnavailable was changed.",
			Breaks: []string{"ROLLING-002"}, Planner: remember(keepLimit)},
		{Name: "takes-max-surge-for-max-unavailable-without-the-gate", Says: "Takes as many nodes down as maxSurge says while the feature gate is off.",
			Breaks: []string{"GATE-003"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
				if limits := spec.UpdateStrategy.RollingUpdate; state.SurgeDisabled && limits != nil && scaled(limits.MaxUnavailable, 100, true) == 0 {
					limits.MaxUnavailable = limits.MaxSurge
				}
			})},
	}
}

// wrapped is a limit that allows everything once more is used than it allows.
func wrapped(limit, used int) int {
	if used > limit {
		return 1 << 20
	}
	return limit
}

func downAndOne(value *intstr.IntOrString, state plan.State, _ time.Time) int {
	if value.Type == intstr.Int {
		return value.IntValue()
	}
	return scaled(value, eligibleNodes(state), false) + 1
}

func leaveTooEarly(actions *plan.Actions, state plan.State, now time.Time) {
	all := nodes(state)
	serving := howMany(all, func(n *node) bool { return available(state, n.olds, now) || available(state, n.news, now) })
	if state.AwaitingOwnWrites || serving != eligibleNodes(state) {
		return
	}
	for _, n := range all {
		if _, keeps := plan.Eligibility(state.DaemonSet, n.object); !n.eligible && keeps && available(state, n.olds, now) {
			remove(actions, n.olds[0], plan.ReasonIneligible)
			return
		}
	}
}

// limitSeen is maxUnavailable as it was when the rollout began.
type limitSeen struct {
	generation string
	value      *intstr.IntOrString
}

func keepLimit(m *memory[limitSeen]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		limits := spec.UpdateStrategy.RollingUpdate
		if limits == nil {
			return
		}
		seen := m.of(state)
		if generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]; seen.value == nil || seen.generation != generation {
			*seen = limitSeen{generation: generation, value: limits.MaxUnavailable}
		}
		limits.MaxUnavailable = seen.value
	})
}
