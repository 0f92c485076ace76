package conditions

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The words of which one names what keeps pods from being created, and an old one from being deleted.
const (
	refusal = "what keeps pods from being created"
	keeping = "what keeps the old pod from being deleted"
)

// refused are the specs of rollouts that cannot go on because no pod can be created, or no old one deleted.
func refused() {
	for _, strategy := range rollouts.Strategies() {
		spec.It("reports in a condition and an Event that a rollout with "+strategy.With+" is stalled because a quota refuses its pods, until it does not",
			spec.Decides("COND-001", "COND-002", "COND-003"),
			func(ctx context.Context, c *spec.Case) {
				words := append(c.AddNodes(ctx, 3), RefuserName)
				c.Bind(refusal, words...)
				before := c.Deploy(ctx, strategy.Limit("1"))
				report := rollouts.ReportOf(before, words...)
				c.RefusePods(ctx, ByQuota)
				report.Begin(ctx, c, begun)
				updated := c.Update(ctx, before, Image("v2"))
				report.Await(ctx, c)
				c.Mark(over)
				c.AdmitPods(ctx)
				c.Await(ctx, RolledOut(updated))
				report.AwaitTakenBack(ctx, c)
			},
			func(j *spec.Checks) {
				reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin, Words: j.BoundAll(refusal)}
				j.Given(NeverBetween(Marked(begun), Marked(over), PodCreated(Updated())))
				j.Decide("COND-001", reported.Condition())
				j.Decide("COND-002", reported.Event())
				j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
			}, spec.SimulatedNodes{})

		spec.It("reports in a condition and an Event that a rollout with "+strategy.With+" is stalled because its old pod cannot be deleted, until it can",
			spec.Decides("COND-001", "COND-002", "COND-003"),
			func(ctx context.Context, c *spec.Case) {
				// On one node nothing else is left to be done.
				words := append(c.AddNodes(ctx, 1), KeepsPods)
				c.Bind(keeping, words...)
				before := c.Deploy(ctx, strategy.Limit("1"))
				kept := c.LivePods(ctx, before)
				report := rollouts.ReportOf(before, words...)
				c.RefuseDeletions(ctx, kept...)
				report.Begin(ctx, c, begun)
				updated := c.Update(ctx, before, Image("v2"))
				report.Await(ctx, c)
				c.Mark(over)
				c.AdmitDeletions(ctx, kept...)
				c.Await(ctx, RolledOut(updated))
				report.AwaitTakenBack(ctx, c)
			},
			func(j *spec.Checks) {
				reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin, Words: j.BoundAll(keeping)}
				j.Given(NeverBetween(Marked(begun), Marked(over), PodDeleted()))
				j.Decide("COND-001", reported.Condition())
				j.Decide("COND-002", reported.Event())
				j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
			}, spec.SimulatedNodes{})
	}
}
