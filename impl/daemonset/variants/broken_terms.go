package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenTerms read what templates and selectors say in ways that few use.
func brokenTerms() []Variant {
	return []Variant{
		{Name: "match-fields-exclude-nothing", Says: "Creates pods on a node that the node affinity excludes by its name.",
			Breaks: []string{"TARGET-001"},
			Planner: opening(func(spec *corev1.PodSpec) {
				if required := requiredOf(spec); required != nil {
					for i := range required.NodeSelectorTerms {
						term := &required.NodeSelectorTerms[i]
						term.MatchFields = slices.DeleteFunc(term.MatchFields, func(field corev1.NodeSelectorRequirement) bool {
							return field.Operator == corev1.NodeSelectorOpNotIn
						})
						// One that asks for nothing would select nothing.
						term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{
							Key: "rollcall.dev/nobody-has-it", Operator: corev1.NodeSelectorOpDoesNotExist,
						})
					}
				}
			})},
		{Name: "takes-preferred-nodes-for-required-ones", Says: "Creates no pod on a node that the node affinity does not prefer, where it prefers others.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
					return
				}
				preferred := spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
				required := requiredOf(spec)
				if len(preferred) == 0 || required == nil {
					return
				}
				for i := range required.NodeSelectorTerms {
					term := &required.NodeSelectorTerms[i]
					term.MatchExpressions = append(term.MatchExpressions, preferred[0].Preference.MatchExpressions...)
				}
			})},
		{Name: "an-empty-term-selects-every-node", Says: "Creates pods on every node where one term of the node affinity asks for nothing.",
			Breaks: []string{"TARGET-001"},
			Planner: opening(func(spec *corev1.PodSpec) {
				if required := requiredOf(spec); required != nil && slices.ContainsFunc(required.NodeSelectorTerms, asksForNothing) {
					spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
				}
			})},
		{Name: "an-expression-is-no-selector", Says: "Does nothing about a DaemonSet whose selector has expressions alone, as if it selected every pod.",
			Breaks: []string{"ROLLING-001"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					if selector := state.DaemonSet.Spec.Selector; selector != nil && len(selector.MatchLabels) == 0 {
						return plan.Actions{}
					}
					return next(state, now)
				}
			}},
	}
}

func asksForNothing(term corev1.NodeSelectorTerm) bool {
	return len(term.MatchExpressions)+len(term.MatchFields) == 0
}

// opening is the planner that creates pods also on nodes that would be eligible if the template were changed, and leaves them there.
func opening(change func(*corev1.PodSpec)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites || actions.CreateRevision != nil {
			return
		}
		changed, hash := state.DaemonSet.DeepCopy(), hashOfCurrent(state)
		change(&changed.Spec.Template.Spec)
		for _, n := range nodes(state) {
			if would, _ := plan.Eligibility(changed, n.object); n.eligible || !would {
				continue
			}
			withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name })
			if len(n.olds)+len(n.news)+len(n.leaving)+len(n.ended) == 0 {
				actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
					Node: n.name, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, n.name),
				})
			}
		}
	})
}
