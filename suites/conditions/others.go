package conditions

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The DaemonSets of the scenario below.
const (
	first  = "first"
	second = "second"
)

// others is the spec of two DaemonSets that are stalled by the same cause on the same node.
func others() {
	spec.It("reports in a condition and an Event that a rollout is stalled, where another DaemonSet has stalled on the same node for the same reason",
		spec.Decides("COND-001", "COND-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			earlier, later := c.Create(ctx, c.NewDaemonSet(first, MaxSurge("1"))), c.Create(ctx, c.NewDaemonSet(second, MaxSurge("1")))
			c.Require(ctx, "the pods of both are available", state.All(Steady(earlier), Steady(later)))
			report := rollouts.ReportOf(earlier)
			report.Begin(ctx, c, begunBefore)
			c.Update(ctx, earlier, UnpullableImage())
			report.Await(ctx, c)
			report = rollouts.ReportOf(later)
			report.Begin(ctx, c, begun)
			c.Update(ctx, later, UnpullableImage())
			report.Await(ctx, c)
			c.Mark(over)
		},
		func(j *spec.Checks) {
			reported := StallBetween{Of: second, From: begun, To: over, Known: judge.ReportWithin}
			j.Decide("COND-001", reported.Condition())
			j.Decide("COND-002", reported.Event())
		}, spec.SimulatedNodes{})
}

// begunBefore is where the rollout of the other DaemonSet begins.
const begunBefore history.Mark = "the rollout of the other DaemonSet begins"
