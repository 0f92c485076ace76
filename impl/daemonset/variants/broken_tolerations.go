package variants

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenTolerations are wrong about nodes that repel pods of one template and not those of another.
func brokenTolerations() []Variant {
	return []Variant{
		{Name: "new-tolerations-wait-for-the-end-of-the-rollout", Says: "Takes a node for ineligible that repels the pods of the template before, as long as there are any.",
			Breaks: []string{"SURGE-012"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				former := formerly(*state)
				if former == nil {
					return
				}
				ds := state.DaemonSet
				state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(each *corev1.Node) bool {
					before, _ := plan.Eligibility(former, each)
					after, _ := plan.Eligibility(ds, each)
					return after && !before
				})
			})},
		{Name: "lost-tolerations-take-pods-at-once", Says: "Deletes the old pods of nodes at once that repel those of the new template only, although it surges.",
			Breaks: []string{"SURGE-017"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				former := formerly(state)
				if former == nil || !maySurge(state) || state.AwaitingOwnWrites || actions.CreateRevision != nil {
					return
				}
				for _, n := range nodes(state) {
					if before, _ := plan.Eligibility(former, n.object); before && !n.eligible {
						for _, pod := range n.olds {
							remove(actions, pod, plan.ReasonIneligible)
						}
					}
				}
			})},
		{Name: "the-hosts-network-has-to-be-there", Says: "Takes a node without a network for ineligible although the pods use the host's.",
			Breaks: []string{"TARGET-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if !state.DaemonSet.Spec.Template.Spec.HostNetwork {
					return
				}
				state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(each *corev1.Node) bool {
					return slices.ContainsFunc(each.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNetworkUnavailable })
				})
			})},
		{Name: "limited-tolerations-for-all-come-first", Says: "Adds the tolerations of daemon pods after those of the template, so that one of these for all taints has its limit count.",
			Breaks: []string{"TARGET-007"}, Planner: changeCreated(putOwnTolerationsLast)},
		{Name: "misscheduled-nodes-count-as-updated", Says: "Reports a node as updated that has an updated pod and should have none.",
			Breaks: []string{"STATUS-013"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.UpdatedNumberScheduled = int32(howMany(nodes(state), func(n *node) bool { return len(n.news) > 0 }))
			})},
	}
}

// formerly is the DaemonSet with the tolerations of an old pod, or nil if no pod is old.
func formerly(state plan.State) *appsv1.DaemonSet {
	for _, n := range nodes(state) {
		for _, pod := range n.olds {
			former := state.DaemonSet.DeepCopy()
			former.Spec.Template.Spec.Tolerations = pod.Spec.Tolerations
			return former
		}
	}
	return nil
}

// putOwnTolerationsLast puts those of a node's condition after all others.
func putOwnTolerationsLast(pod *corev1.Pod) {
	own := func(t corev1.Toleration) int {
		if strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(pod.Spec.Tolerations, func(a, b corev1.Toleration) int { return own(a) - own(b) })
}
