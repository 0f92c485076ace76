package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenMatches compare labels, affinities and taints wrongly.
func brokenMatches() []Variant {
	return []Variant{
		{Name: "takes-a-missing-label-for-an-empty-one", Says: "Creates pods on nodes that lack a label for which the node selector has an empty value.",
			Breaks: []string{"TARGET-001"},
			Planner: labelling(func(spec *corev1.PodSpec, node *corev1.Node, key string) bool {
				_, has := node.Labels[key]
				return !has && spec.NodeSelector[key] == ""
			})},
		{Name: "node-affinity-overrides-the-node-selector", Says: "Does not ask for the node selector where the template has a node affinity.",
			Breaks: []string{"TARGET-001"},
			Planner: labelling(func(spec *corev1.PodSpec, _ *corev1.Node, _ string) bool {
				return requiredOf(spec) != nil
			})},
		{Name: "reads-the-first-node-selector-term-only", Says: "Creates no pods on nodes that only a later one of several node selector terms selects.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				if required := requiredOf(spec); required != nil && len(required.NodeSelectorTerms) > 1 {
					required.NodeSelectorTerms = required.NodeSelectorTerms[:1]
				}
			})},
		{Name: "overlooks-tolerations-without-an-effect", Says: "Creates no pod where only a toleration that names no effect would have it tolerated.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				var named []corev1.Toleration
				for _, toleration := range spec.Tolerations {
					if toleration.Effect != "" {
						named = append(named, toleration)
					}
				}
				spec.Tolerations = named
			})},
		{Name: "tolerates-taints-by-their-keys", Says: "Takes a taint for tolerated whose key a toleration names, whatever its value.",
			Breaks: []string{"TARGET-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeNodes(state, func(node *corev1.Node) {
					for i := range node.Spec.Taints {
						for _, toleration := range state.DaemonSet.Spec.Template.Spec.Tolerations {
							if taint := &node.Spec.Taints[i]; toleration.Key == taint.Key && toleration.Operator != corev1.TolerationOpExists {
								taint.Value = toleration.Value
							}
						}
					}
				})
			})},
		{Name: "a-toleration-holds-for-every-effect", Says: "Takes a taint for tolerated whose key a toleration names, whatever its effect.",
			Breaks: []string{"TARGET-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeNodes(state, func(node *corev1.Node) {
					for i := range node.Spec.Taints {
						for _, toleration := range state.DaemonSet.Spec.Template.Spec.Tolerations {
							if taint := &node.Spec.Taints[i]; toleration.Key == taint.Key && toleration.Effect != "" {
								taint.Effect = toleration.Effect
							}
						}
					}
				})
			})},
		{Name: "a-toleration-without-a-key-is-none", Says: "Creates no pod where only a toleration of every key would have it tolerated.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				spec.Tolerations = slices.DeleteFunc(spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == "" })
			})},
		{Name: "not-in-asks-for-the-label", Says: "Creates no pod on a node without the label of which the node affinity excludes some values.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				if requiredOf(spec) == nil {
					return
				}
				for i := range requiredOf(spec).NodeSelectorTerms {
					term := &requiredOf(spec).NodeSelectorTerms[i]
					for _, expression := range term.MatchExpressions {
						if expression.Operator == corev1.NodeSelectorOpNotIn {
							term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: expression.Key, Operator: corev1.NodeSelectorOpExists})
						}
					}
				}
			})},
		{Name: "match-fields-select-nothing", Says: "Creates no pod on a node that a term of the node affinity selects by its name.",
			Breaks: []string{"TARGET-001"},
			Planner: closing(func(spec *corev1.PodSpec) {
				if required := requiredOf(spec); required != nil {
					required.NodeSelectorTerms = slices.DeleteFunc(required.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool { return len(t.MatchFields) > 0 })
				}
			})},
		{Name: "takes-a-preference-for-a-refusal", Says: "Creates no pod on a node with a taint that asks for other nodes to be preferred.",
			Breaks: []string{"TARGET-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeNodes(state, func(node *corev1.Node) {
					for i := range node.Spec.Taints {
						if taint := &node.Spec.Taints[i]; taint.Effect == corev1.TaintEffectPreferNoSchedule {
							taint.Effect = corev1.TaintEffectNoSchedule
						}
					}
				})
			})},
		{Name: "ignores-match-expressions", Says: "Takes over pods that have the selector's labels, whatever its expressions say.",
			Breaks: []string{"TARGET-003"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				if spec.Selector != nil && len(spec.Selector.MatchLabels) > 0 {
					spec.Selector.MatchExpressions = nil
				}
			})},
	}
}

func requiredOf(spec *corev1.PodSpec) *corev1.NodeSelector {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// labelling is the planner to which a node seems to have the label of that key that the node selector asks for.
func labelling(seems func(spec *corev1.PodSpec, node *corev1.Node, key string) bool) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		spec := &state.DaemonSet.Spec.Template.Spec
		changeNodes(state, func(node *corev1.Node) {
			for key, value := range spec.NodeSelector {
				if !seems(spec, node, key) {
					continue
				}
				if node.Labels == nil {
					node.Labels = map[string]string{}
				}
				node.Labels[key] = value
			}
		})
	})
}

// closing is the planner that creates no pod on nodes that would be ineligible if the template were changed.
func closing(change func(*corev1.PodSpec)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		changed := state.DaemonSet.DeepCopy()
		change(&changed.Spec.Template.Spec)
		closed := map[string]bool{}
		for _, node := range state.Nodes {
			eligible, _ := plan.Eligibility(changed, node)
			closed[node.Name] = !eligible
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return closed[c.Node] })
	})
}
