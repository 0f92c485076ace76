package conditions

import (
	"context"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where the rollout begins that cannot go on, and where the cause goes away.
const (
	begun history.Mark = "the rollout begins"
	over  history.Mark = "the cause goes away"
)

// stalled are the specs of rollouts that cannot go on.
func stalled() {
	for _, cause := range []struct {
		words, strategy string
		limit           Edit
		begin, end      []Edit
		unscheduled     bool
	}{
		{"that no node has room for", "maxSurge", MaxSurge("1"), []Edit{Image("v2"), rollouts.Demand("1M")}, []Edit{Image("v3"), rollouts.Demand("1m")}, true},
		{"whose image cannot be pulled", "maxUnavailable", MaxUnavailable("1"), []Edit{UnpullableImage()}, []Edit{Image("v3")}, false},
		{
			"whose second container has an image that cannot be pulled", "maxUnavailable", MaxUnavailable("1"),
			[]Edit{Image("v2"), Sidecar(), SidecarImage(stages.MissingTag)}, []Edit{Image("v3"), SidecarImage("v3")}, false,
		},
		{"that fail over and over", "maxSurge", MaxSurge("1"), []Edit{Image("v2"), Failing()}, []Edit{Image("v3"), Healthy()}, false},
	} {
		spec.It("reports in a condition and an Event that a rollout with "+cause.strategy+" is stalled by pods "+cause.words+", until it goes on",
			spec.Decides("COND-001", "COND-002", "COND-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				before := c.Deploy(ctx, cause.limit)
				report := rollouts.ReportOf(before)
				report.Begin(ctx, c, begun)
				updated := c.Update(ctx, before, cause.begin...)
				c.Await(ctx, UpdatedOn(1, updated))
				if cause.unscheduled {
					rollouts.NeedsScheduler(ctx, c, updated)
				}
				report.Await(ctx, c)
				c.Mark(over)
				c.RollOut(ctx, updated, cause.end...)
				report.AwaitTakenBack(ctx, c)
			},
			func(j *spec.Checks) {
				reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin}
				j.Given(NeverBetween(Marked(begun), Marked(over), PodReady(Updated())))
				j.Decide("COND-001", reported.Condition())
				j.Decide("COND-002", reported.Event())
				j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
			}, spec.SimulatedNodes{}, spec.MainPath{})
	}
}
