// Package rollouts has what the specs of both kinds of rollout share: with maxSurge, and with maxUnavailable.
package rollouts

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Stall begins a rollout to the image whose pods never become ready, and waits until the controller has done all that it will: until that many nodes have
// an updated pod and nothing has changed for a moment, or nothing has changed for spec.Prompt. Nobody has to use a limit up, so fewer nodes are no
// failure. Further conditions must hold, too.
func Stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, image string, nodes int, also ...Condition) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, Image(image), NeverReady())
	Settle(ctx, c, updated, UpdatedOn(nodes, updated), also...)
	return updated
}

// Settle waits until the controller has seen the DaemonSet and either brought the condition about, with nothing changing for a moment, or done nothing
// for spec.AtOnce.
func Settle(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, reached Condition, also ...Condition) {
	// A controller may take two seconds for each step, and a kubelet for ending a pod.
	over := state.Any(state.All(reached, Quiet(moment)), Quiet(spec.AtOnce))
	c.Await(ctx, state.All(append(also, Processed(daemonSet), over)...))
}

// moment is how long nothing changes before a limit that is used up counts as used up for good.
const moment = 2 * time.Second

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
