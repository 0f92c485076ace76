package rollouts

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const closedTaint = "rollcall.dev/closed"

// Taint makes a node ineligible without driving its pods away.
func Taint(node *corev1.Node) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: closedTaint, Effect: corev1.TaintEffectNoSchedule})
}

// Untaint makes a node eligible again.
func Untaint(node *corev1.Node) {
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == closedTaint })
}

// Close makes the nodes ineligible, one after the other.
func Close(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.TaintNode, node, Taint)
	}
}

// Open makes the nodes eligible again.
func Open(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.UntaintNode, node, Untaint)
	}
}

// Untouched returns n eligible nodes that the rollout has not come to: their pods are old. A scenario that finds fewer ends there.
func Untouched(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, n int) []string {
	var nodes []string
	c.Look(ctx, func(cluster *history.Cluster) {
		current := cluster.DaemonSets[daemonSet.UID]
		if current == nil {
			return
		}
		for _, node := range cluster.EligibleNodes(current) {
			pods := cluster.PodsOn(daemonSet.UID, node)
			if len(pods) > 0 && !slices.ContainsFunc(pods, cluster.IsUpdated) {
				nodes = append(nodes, node)
			}
		}
	})
	if len(nodes) < n {
		c.CannotDecide("the rollout has left too few nodes untouched")
	}
	return nodes[:n]
}
