package avail

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// down is the spec of a pod that is Ready on a node that is not: whoever finds that the node is lost says so of the pod.
func down() {
	spec.It("counts an old pod as available that is Ready on a node that is down",
		spec.Decides("AVAIL-001", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1"), rollouts.TolerateDown()), "v2", 1)
			c.NodeDown(ctx, rollouts.Untouched(ctx, c, updated, 1)[0])
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			// The old pod of the node that surges goes as it should.
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, Quiet(3*time.Second))
		}, nil, spec.SimulatedNodes{})
}
