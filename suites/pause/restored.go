package pause

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restored is the spec of surge pods that are of the current template, and of another template generation than it.
func restored() {
	spec.It("pauses within maxSurge after a restart although the template became another one and the same again meanwhile",
		spec.Decides("PAUSE-001", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			c.RequireUpdated(ctx, "there is a surge pod", stalled)
			c.Kill(ctx)
			updated := c.Update(ctx, c.Update(ctx, stalled, Image("v3")), Image("v2"))
			// Whoever begins knows the template that there is.
			c.Await(ctx, Quiet(judge.Lag))
			c.Restart(ctx)
			c.RequireReconciled(ctx, updated)
			c.Await(ctx, Quiet(still))
			c.Mark(over)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(Exactly(3, TemplateChanged()), Never(PodCreated(OfVersion("v3"))))
			j.Decide("PAUSE-001", within()...)
			j.Decide("SURGE-002", Keeps("SURGE-002"), EndsRolledOut())
		}, spec.Alone{})
}
