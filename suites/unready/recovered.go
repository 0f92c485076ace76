package unready

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// recovered is the spec of an old pod that becomes Ready again beside the updated one that was to take its place.
func recovered() {
	spec.It("counts a node against maxSurge again when its old pod recovers beside the updated one",
		spec.Decides("SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 3, 1)
			c.Pods.BecomeUnready(ctx, old[0])
			c.Require(ctx, "the node has an updated pod", UpdatedOn(1, updated, OnNode(history.NodeOf(old[0]))))
			c.Pods.BecomeReady(ctx, old[0])
			c.Require(ctx, "everybody knows that it has recovered", Quiet(2*judge.Lag))
			// The one slot is used twice over. When the other node gives it back, none is left.
			for _, pod := range c.LivePods(ctx, updated) {
				if NotReady(pod) && history.NodeOf(pod) != history.NodeOf(old[0]) {
					c.Pods.BecomeReady(ctx, pod)
				}
			}
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) { j.Decide("SURGE-002", Keeps("SURGE-002")) }, spec.SimulatedNodes{})
}
