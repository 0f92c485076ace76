package status

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// equal is the spec of changes that change no number.
func equal() {
	spec.It("writes no status when nothing in it changes",
		spec.Decides("STATUS-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			// These are changes that a controller looks at, and that no number shows.
			c.Pods.HoldTermination(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Update(ctx, daemonSet, Note())
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) { j.Decide("STATUS-012", NoEqualStatus()) })
}
