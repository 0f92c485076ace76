package variants

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenNodes see nodes wrongly.
func brokenNodes() []Variant {
	return []Variant{
		{Name: "ignores-taints", Says: "Creates pods on nodes that repel them with a taint.",
			Breaks: []string{"SURGE-017", "SURGE-018"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeNodes(state, func(node *corev1.Node) { untaint(node, nil) })
			})},
		{Name: "ignores-taints-of-nodes-that-were-open", Says: "Creates pods on a node that came to repel them during the rollout.",
			Breaks: []string{"SURGE-018", "SURGE-017"}, Planner: remember(keepOpen)},
		{Name: "does-not-notice-nodes", Says: "Does not notice that a node joins or changes.",
			Breaks: []string{"SURGE-019", "SURGE-012"},
			Planner: remember(func(m *memory[[]*corev1.Node]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					first := m.of(*state)
					if *first == nil {
						*first = state.Nodes
					}
					state.Nodes = *first
				})
			})},
		{Name: "gives-a-node-that-came-back-no-pod", Says: "Creates no pod on a node that was removed and added again under its name.",
			Breaks: []string{"SURGE-012"}, Planner: remember(forgetReturned)},
		{Name: "overlooks-effects-of-taints", Says: "Does not notice that the effect of a taint changes.",
			Breaks: []string{"DRAIN-008"}, Planner: remember(keepEffects)},
		{Name: "ignores-the-name-of-a-node", Says: "Creates pods on all nodes although the template names one.",
			Breaks:  []string{"TARGET-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) { spec.Template.Spec.NodeName = "" })},
		{Name: "pins-pods-by-the-first-term", Says: "Adds the name of a pod's node to the first of several node selector terms only.",
			Breaks: []string{"TARGET-001"}, Planner: doing(pinByFirstTerm)},
		{Name: "avoids-cordoned-nodes", Says: "Creates no pod on a node that is marked unschedulable.",
			Breaks: []string{"DRAIN-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				cordoned := map[string]bool{}
				for _, node := range state.Nodes {
					cordoned[node.Name] = node.Spec.Unschedulable
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return cordoned[c.Node] })
			})},
		{Name: "keeps-pods-on-nodes-that-repel-them", Says: "Deletes no pod from a node that became ineligible.",
			Breaks: []string{"TARGET-002"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutDeletions(actions, deletedFor(plan.ReasonIneligible))
			})},
		{Name: "leaves-ineligible-nodes-alone-during-a-rollout", Says: "Deletes no pod from a node that became ineligible while a rollout is under way.",
			Breaks: []string{"TARGET-002", "SURGE-018"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.RolloutInProgress {
					withoutDeletions(actions, deletedFor(plan.ReasonIneligible))
				}
			})},
		{Name: "one-closed-node-stops-the-rollout", Says: "Goes on with a rollout only when no ineligible node has an old pod.",
			Breaks: []string{"SURGE-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, n := range nodes(state) {
					if !n.eligible && len(n.olds) > 0 {
						withoutCreations(actions, createdFor(plan.ReasonSurge))
						withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
					}
				}
			})},
	}
}

// changeNodes replaces all nodes by changed copies.
func changeNodes(state *plan.State, change func(*corev1.Node)) {
	var changed []*corev1.Node
	for _, node := range state.Nodes {
		node = node.DeepCopy()
		change(node)
		changed = append(changed, node)
	}
	state.Nodes = changed
}

// untaint leaves on the node the taints of other effects than NoSchedule, and those of kept.
func untaint(node *corev1.Node, kept []corev1.Taint) {
	var left []corev1.Taint
	for _, taint := range node.Spec.Taints {
		keep := taint.Effect != corev1.TaintEffectNoSchedule
		for _, k := range kept {
			keep = keep || k.MatchTaint(&taint)
		}
		if keep {
			left = append(left, taint)
		}
	}
	node.Spec.Taints = left
}

// nodesSeen is what a planner remembers of nodes.
type nodesSeen struct {
	rollout rolloutSeen
	// taints of each node at its first look in the rollout; gone are the nodes that were there and are not.
	taints map[string][]corev1.Taint
	known  map[string]string
}

func keepOpen(m *memory[nodesSeen]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen := m.of(*state)
		if before := seen.rollout.generation; seen.rollout.of(*state).generation != before || seen.taints == nil {
			seen.taints = map[string][]corev1.Taint{}
		}
		changeNodes(state, func(node *corev1.Node) {
			if _, known := seen.taints[node.Name]; !known {
				seen.taints[node.Name] = node.Spec.Taints
			}
			untaint(node, seen.taints[node.Name])
		})
	})
}

// keepEffects leaves taints that nodes get from the control plane as they are: some of these have one key with two effects.
func keepEffects(m *memory[nodesSeen]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen := m.of(*state)
		if seen.taints == nil {
			seen.taints = map[string][]corev1.Taint{}
		}
		changeNodes(state, func(node *corev1.Node) {
			for i := range node.Spec.Taints {
				taint := &node.Spec.Taints[i]
				for _, before := range seen.taints[node.Name] {
					if before.Key == taint.Key && !strings.HasPrefix(taint.Key, "node.kubernetes.io/") {
						taint.Effect = before.Effect
					}
				}
			}
			seen.taints[node.Name] = node.Spec.Taints
		})
	})
}

func pinByFirstTerm(actions *plan.Actions, state plan.State, _ time.Time) {
	affinity := state.DaemonSet.Spec.Template.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	for i := range actions.CreatePods {
		creation := &actions.CreatePods[i]
		creation.Pod = creation.Pod.DeepCopy()
		creation.Pod.Spec.Affinity = affinity.DeepCopy()
		first := &creation.Pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
		first.MatchFields = append(first.MatchFields, corev1.NodeSelectorRequirement{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{creation.Node}})
	}
}

func forgetReturned(m *memory[nodesSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen := m.of(state)
		if seen.known == nil {
			seen.known = map[string]string{}
		}
		returned := map[string]bool{}
		for _, node := range state.Nodes {
			uid, known := seen.known[node.Name]
			if !known {
				seen.known[node.Name] = string(node.UID)
			}
			returned[node.Name] = known && uid != string(node.UID)
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return returned[c.Node] })
	})
}
