package variants

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenEdges are wrong about values that few use: zero as a percentage, limits in time, numbers as text, long names.
func brokenEdges() []Variant {
	return []Variant{
		{Name: "zero-percent-is-the-default", Says: "Takes a maxUnavailable of 0% beside maxSurge for none, and one node down beyond maxSurge.",
			Breaks: []string{"SURGE-008", "SURGE-016"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				rolling := spec.UpdateStrategy.RollingUpdate
				if rolling == nil || rolling.MaxUnavailable == nil || rolling.MaxUnavailable.Type != intstr.String {
					return
				}
				if scaled(rolling.MaxUnavailable, 100, true) == 0 {
					one := intstr.FromInt32(1)
					rolling.MaxUnavailable = &one
				}
			})},
		{Name: "a-toleration-for-a-time-is-none", Says: "Takes a taint with NoExecute for one that is not tolerated where the toleration is limited in time.",
			Breaks: []string{"TARGET-001"}, Planner: seeing(tolerateForEver)},
		{Name: "names-histories-in-full", Says: "Names histories after the whole name of the DaemonSet, however long that is.",
			Breaks: []string{"HISTORY-001"},
			Planner: making(func(revision *appsv1.ControllerRevision, state plan.State) {
				revision.Name = state.DaemonSet.Name + "-" + revision.Labels[plan.HashLabel]
			})},
		{Name: "compares-numbers-as-text", Says: "Creates no pod on a node whose label is a larger number than that of the node affinity, but comes before it in a dictionary.",
			Breaks: []string{"TARGET-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				required := requiredOf(&state.DaemonSet.Spec.Template.Spec)
				if required == nil {
					return
				}
				closed := map[string]bool{}
				for _, node := range state.Nodes {
					for _, term := range required.NodeSelectorTerms {
						for _, e := range term.MatchExpressions {
							before := len(e.Values) == 1 && strings.Compare(node.Labels[e.Key], e.Values[0]) <= 0
							closed[node.Name] = closed[node.Name] || e.Operator == corev1.NodeSelectorOpGt && before
						}
					}
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return closed[c.Node] })
			})},
	}
}

// tolerateForEver makes taints with NoExecute others that nobody tolerates, where the template tolerates them for a time only. Those of nodes that are not Ready or
// unreachable every daemon pod tolerates for ever.
func tolerateForEver(state *plan.State, _ time.Time) {
	tolerations := state.DaemonSet.Spec.Template.Spec.Tolerations
	limited := func(taint *corev1.Taint) bool {
		for _, t := range tolerations {
			names := t.Key == taint.Key && (t.Operator == corev1.TolerationOpExists || t.Value == taint.Value)
			if names && t.TolerationSeconds != nil {
				return taint.Key != corev1.TaintNodeNotReady && taint.Key != corev1.TaintNodeUnreachable
			}
		}
		return false
	}
	changeNodes(state, func(node *corev1.Node) {
		for i := range node.Spec.Taints {
			if taint := &node.Spec.Taints[i]; taint.Effect == corev1.TaintEffectNoExecute && limited(taint) {
				taint.Key = "rollcall.dev/not-for-ever"
			}
		}
	})
}
