package pause

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leaving is the spec of a node whose updated pod is on its way out, and gets no successor for want of a slot.
func leaving() {
	spec.It("replaces a pod that stops being Ready during a pause while an updated pod is on its way out on its node",
		spec.Decides("PAUSE-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), "v2", 2)
			// The other one of the two nodes keeps the only slot.
			updated := c.Update(ctx, stalled, MaxSurge("1"))
			c.RequireReconciled(ctx, updated)
			gone := c.RequireUpdated(ctx, "an updated pod runs", updated, Running)
			node := history.NodeOf(gone)
			c.Bind(lost, node)
			c.Pods.HoldTermination(ctx, gone)
			c.DeletePod(ctx, gone, 30*time.Second)
			c.Await(ctx, Quiet(still))
			c.Mark(over)
			rollouts.LoseReadiness(ctx, c, updated, node)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
			c.Pods.ReleaseTermination(ctx, gone)
		},
		func(j *spec.Checks) {
			node := j.Bound(lost)
			unready, created := PodUnready(OfVersion("v1")).On(node), PodCreated(OfVersion("v2")).On(node)
			j.Given(AtLeast(1, PodDeleted(OfVersion("v2")).On(node)), NeverBetween(Done(history.DeletePod), Marked(over), created))
			j.Decide("PAUSE-005", Within(spec.AtOnce, unready, created))
		}, spec.SimulatedNodes{})
}
