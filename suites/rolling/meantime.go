package rolling

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meantime are the specs of what happens to a node before a rollout comes to it.
func meantime() {
	spec.It("replaces the old pod of a node that was ineligible for a moment during the rollout",
		spec.Decides("ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			closed := rollouts.Untouched(ctx, c, updated, 1)
			rollouts.TaintNodes(ctx, c, closed...)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			rollouts.UntaintNodes(ctx, c, closed...)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.UntaintNode)))
			j.Decide("ROLLING-001", EndsRolledOut())
		}, spec.SimulatedNodes{})

	spec.It("counts a pod that was lost while no controller ran, in the rollout that was asked for meanwhile",
		spec.Decides("ROLLING-002", "RECOVERY-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.Kill(ctx)
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[len(nodes)-1]))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.Await(ctx, Quiet(judge.Lag))
			c.Restart(ctx)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("RECOVERY-001", EndsRolledOut(), Keeps("ROLLING-002"))
		}, spec.Alone{})
}
