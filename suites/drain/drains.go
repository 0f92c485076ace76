package drain

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// drains are the specs of nodes that are cordoned, emptied through the Eviction API as kubectl drain does it, and uncordoned.
func drains() {
	for _, strategy := range rollouts.Strategies() {
		spec.It("ends with one pod of the current revision on a node that was drained while the template changed, with "+strategy.With,
			spec.Decides("DRAIN-009"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				old := c.LivePodOn(ctx, daemonSet, nodes[0])
				c.Cordon(ctx, nodes[0])
				updated := c.Update(ctx, daemonSet, Image("v2"))
				c.Drain(ctx, old)
				c.Uncordon(ctx, nodes[0])
				c.Await(ctx, RolledOut(updated))
			},
			func(j *spec.Checks) { j.Decide("DRAIN-009", EndsRolledOut()) }, spec.SimulatedNodes{})
	}

	spec.It("replaces the pods of nodes that are drained in the middle of a rollout, one after the other",
		spec.Decides("DRAIN-006", "DRAIN-009"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1"), DrainFor(handOffTime)), Image("v2"))
			c.RequireUpdated(ctx, "the rollout has begun", updated)
			for _, node := range nodes {
				c.Cordon(ctx, node)
				c.Drain(ctx, c.LivePodOn(ctx, updated, node))
				c.Uncordon(ctx, node)
			}
			c.Await(ctx, RolledOut(updated))
			c.Bind(emptied, nodes...)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(emptied) {
				j.Given(AtLeast(1, PodDeleted().On(node)))
			}
			j.Decide("DRAIN-009", EndsRolledOut())
		}, spec.Alone{}, spec.RealNodes{})
}
