package surge

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// ended is the spec of an updated pod that ends well, and serves nobody from then on.
func ended() {
	spec.It("keeps the old pod of a node whose updated one ends in phase Succeeded, until another takes over",
		spec.Decides("SURGE-016", "SURGE-008", "AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			surging := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			c.Pods.Succeed(ctx, surging)
			c.Require(ctx, "what has ended is gone", state.When("pod "+surging.Name+" is gone", func(cluster *history.Cluster) bool {
				return cluster.Pods[surging.UID] == nil
			}))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.SucceedPod)))
			j.Decide("SURGE-016", EndsRolledOut())
		}, spec.SimulatedNodes{})
}
