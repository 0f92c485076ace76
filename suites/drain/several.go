package drain

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// several are the specs of more pods that are taken down at once than maxSurge has nodes surge. Their replacements do not become Ready, so each of them would
// hold a slot for good.
func several() {
	spec.It("makes the replacements of all pods that are deleted at once beside them, though they are more than maxSurge",
		spec.Decides("DRAIN-002"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lingering, c.AddNodes(ctx, 2)...)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1"), NeverReady(), IgnoreSIGTERM()))
			if !rollouts.Finish(ctx, c, daemonSet) {
				c.CannotDecide("the first pods do not come up")
			}
			old := c.LivePods(ctx, daemonSet)
			for _, pod := range old {
				deleteGracefully(ctx, c, pod)
			}
			for _, pod := range old {
				c.Await(ctx, replaced(daemonSet, pod))
			}
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			rollouts.Finish(ctx, c, daemonSet)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				j.Decide("DRAIN-002", Before(after(history.DeletePod, node), First(PodGone().On(node))), EndsRolledOut())
			}
		})

	spec.It("makes the replacements of updated pods beside them that are evicted from cordoned nodes while the rollout waits at maxSurge",
		spec.Decides("DRAIN-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			c.BecomeReadyInTurn(ctx, updated, 2)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			drained, nodes := updatedAndReady(ctx, c, updated)
			if len(drained) < 2 {
				c.CannotDecide("fewer than two nodes have an updated pod that is Ready")
			}
			c.Bind(lingering, nodes...)
			for _, pod := range drained {
				c.Pods.HoldTermination(ctx, pod)
				c.Cordon(ctx, history.NodeOf(pod))
				c.Evict(ctx, pod)
			}
			for _, pod := range drained {
				c.Await(ctx, replaced(updated, pod))
			}
			for _, pod := range drained {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				j.Decide("DRAIN-006", Before(after(history.EvictPod, node), First(PodGone(OfVersion("v2")).On(node))), EndsRolledOut())
			}
		}, spec.SimulatedNodes{})
}

// updatedAndReady are the updated pods that are Ready, and their nodes.
func updatedAndReady(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) (pods []*corev1.Pod, nodes []string) {
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			if history.IsReady(pod) {
				pods, nodes = append(pods, pod), append(nodes, history.NodeOf(pod))
			}
		}
	})
	return pods, nodes
}
