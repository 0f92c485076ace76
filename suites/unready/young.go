package unready

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// young is the spec of an update that follows closely on another.
func young() {
	spec.It("gives every node an updated pod beyond maxSurge whose old one has been Ready for less than minReadySeconds",
		spec.Decides("UNREADY-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 4})
			c.Bind(lost, nodes...)
			daemonSet := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), MinReadySeconds(rollouts.Hour))
			c.Require(ctx, "the controller has seen the new minReadySeconds", Processed(daemonSet))
			c.Await(ctx, UpdatedOn(len(nodes), rollouts.Stall(ctx, c, daemonSet, "v2", len(nodes))))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lost) {
				// The history of the new template comes first: no pod may be created before (HISTORY-008).
				j.Decide("UNREADY-010", Within(spec.AtOnce, Nth(2, RevisionCreated()), updatedPod(node)))
			}
		})
}
