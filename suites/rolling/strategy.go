package rolling

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in scenarios that change the strategy.
const (
	onDelete history.Mark = "the strategy is OnDelete"
	switched history.Mark = "the strategy becomes RollingUpdate"
)

// strategy are the specs of switches between OnDelete and RollingUpdate, and from maxSurge to maxUnavailable.
func strategy() {
	spec.It("keeps to maxUnavailable where surge is switched off while nodes have two pods that are available from then on",
		spec.Decides("ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			rollouts.LongReady(ctx, c, c.LivePods(ctx, daemonSet)...)
			updated := c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(rollouts.Hour))
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated, history.IsReady))
			// One write, so that nobody sees a node with two available pods before.
			c.Await(ctx, RolledOut(c.Update(ctx, updated, MaxUnavailable("1"), MinReadySeconds(0))))
		}, nil, spec.SimulatedNodes{})

	spec.It("replaces outdated pods when the strategy changes from OnDelete to RollingUpdate",
		spec.Decides("ROLLING-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, OnDelete())
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(switched)
			c.RollOut(ctx, daemonSet, MaxUnavailable("1"))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(TemplateChanged(), Marked(switched), PodDeleted()))
			j.Decide("ROLLING-017", EndsRolledOut())
		})

	spec.It("goes on where it was when the strategy is OnDelete for a while during the rollout",
		spec.Decides("ROLLING-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			waiting := c.Update(ctx, daemonSet, OnDelete())
			c.Require(ctx, "the controller has seen the strategy", Processed(waiting))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(onDelete)
			c.BecomeReadyInTurn(ctx, waiting, 1)
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(switched)
			rollouts.Finish(ctx, c, c.Update(ctx, waiting, MaxUnavailable("1")))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Marked(onDelete), Marked(switched), PodDeleted()))
			j.Decide("ROLLING-017", EndsRolledOut())
		})
}
