package unready

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// hour is a minReadySeconds that no spec waits out.
const hour = 3600

// young is the spec of an update that follows closely on another.
func young() {
	spec.It("gives every node an updated pod beyond maxSurge whose old one has been Ready for less than minReadySeconds",
		spec.Decides("UNREADY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lost, c.AddNodes(ctx, 4)...)
			daemonSet := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), MinReadySeconds(hour))
			c.Require(ctx, "the controller has seen the new minReadySeconds", Processed(daemonSet))
			c.Await(ctx, UpdatedOn(4, rollouts.Stall(ctx, c, daemonSet, "v2", 4)))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lost) {
				j.Decide("UNREADY-010", Within(atOnce, First(TemplateChanged()), updatedPod(node)))
			}
		})
}
