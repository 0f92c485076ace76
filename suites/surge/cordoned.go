package surge

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// cordoned is the spec of nodes that are cordoned during a rollout: they are like any other.
func cordoned() {
	spec.It("keeps to maxSurge when the node that surges is cordoned, and replaces the pod of a cordoned node that is not Ready",
		spec.Decides("SURGE-002", "UNREADY-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			surging := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			c.Cordon(ctx, history.NodeOf(surging))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			lost := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Cordon(ctx, lost)
			rollouts.LoseReadiness(ctx, c, updated, lost)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(lost)))
			rollouts.Finish(ctx, c, updated)
		}, nil, spec.SimulatedNodes{})
}
