package drain

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// cordon are the specs of nodes that are unschedulable, which daemon pods tolerate.
func cordon() {
	for _, strategy := range rollouts.Strategies() {
		spec.It("keeps the pod of a cordoned node and makes the missing ones of cordoned nodes, with "+strategy.With,
			spec.Decides("DRAIN-001", strategy.GoesOn),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				c.Cordon(ctx, nodes[0])
				// Nothing is to follow: longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), 0)
				c.Await(ctx, RolledOut(daemonSet))
				more := c.AddNodes(ctx, 1, func(node *corev1.Node) { node.Spec.Unschedulable = true })
				c.Await(ctx, RolledOut(daemonSet))
				c.RollOut(ctx, daemonSet, Image("v2"))
				c.Bind(kept, nodes[0])
				c.Bind(joined, more...)
			},
			func(j *spec.Checks) {
				node := j.Bound(kept)
				j.Decide("DRAIN-001",
					NeverBetween(Began(history.CordonNode), Began(history.DeletePod), PodDeleted().On(node)),
					AtLeast(1, after(history.DeletePod, node)),
					AtLeast(1, PodCreated(OfVersion("v1")).On(j.Bound(joined))),
					AtLeast(1, PodCreated(OfVersion("v2")).On(node)),
					EndsRolledOut())
				j.Decide(strategy.GoesOn, EndsRolledOut())
			}, spec.SimulatedNodes{})
	}

	spec.It("makes the pod of a cordoned node that was taken down there while the implementation was not at work",
		spec.Decides("DRAIN-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind(kept, nodes[0])
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.Cordon(ctx, nodes[0])
			c.Kill(ctx)
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), 0)
			c.Require(ctx, "the pod is gone", rollouts.NoPodOn(daemonSet, nodes[0]))
			c.Restart(ctx)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Decide("DRAIN-001", AtLeast(1, after(history.DeletePod, j.Bound(kept))), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}
