package status

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// equal are the specs of what changes no number.
func equal() {
	spec.It("writes no status when nothing in it changes",
		spec.Decides("STATUS-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			// These are changes that a controller looks at, and that no number shows.
			c.Require(ctx, "it has come to rest", Quiet(2*time.Second))
			c.Pods.HoldTermination(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Require(ctx, "it has come to rest again", Quiet(2*time.Second))
			c.Update(ctx, daemonSet, Note())
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) { j.Decide("STATUS-012", NoEqualStatus()) })
	spec.It("writes no status when it is started again and nothing in it has changed",
		spec.Decides("STATUS-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			c.Kill(ctx)
			c.Restart(ctx)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.RequireReconciled(ctx, daemonSet)
		},
		func(j *spec.Checks) { j.Decide("STATUS-012", NoEqualStatus()) }, spec.Alone{})
}
