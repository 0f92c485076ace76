package ondelete

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// repair is where the template comes that mends the rollout.
const repair history.Mark = "a template that mends the rollout"

// repaired are the specs of a rollout that begins where OnDelete ends, stalls, and is mended by another template.
func repaired() {
	spec.It("rolls out the template that repairs a rollout which began where OnDelete ended, with maxUnavailable",
		spec.Decides("ROLLOVER-004"),
		func(ctx context.Context, c *spec.Case) { repairOutdated(ctx, c, MaxUnavailable("1")) },
		func(j *spec.Checks) {
			broken(j)
			j.Decide("ROLLOVER-004", EndsRolledOut())
		})

	spec.It("rolls out the template that repairs a rollout which began where OnDelete ended, with maxSurge",
		spec.Decides("PAUSE-007", "ROLLOVER-002"),
		func(ctx context.Context, c *spec.Case) { repairOutdated(ctx, c, MaxSurge("1")) },
		func(j *spec.Checks) {
			broken(j)
			kept := OnEveryNode(Before(PodAvailable(OfVersion("v3")), PodDeleted(OfVersion("v1"))))
			j.Decide("PAUSE-007", EndsRolledOut(), kept)
			j.Decide("ROLLOVER-002", AtLeast(1, PodDeleted(OfVersion("v2"))), kept)
		})
}

// repairOutdated changes the template before the strategy does not say OnDelete any more, and again once no more pods come.
func repairOutdated(ctx context.Context, c *spec.Case, strategy Edit) {
	c.AddNodes(ctx, 3)
	outdated := c.Update(ctx, c.Deploy(ctx, OnDelete()), Image("v2"), NeverReady())
	c.Require(ctx, "the controller has seen the template", Processed(outdated))
	rolling := c.Update(ctx, outdated, strategy)
	rollouts.Settle(ctx, c, rolling, UpdatedOn(1, rolling))
	c.Mark(repair)
	c.RollOut(ctx, rolling, Image("v3"), Healthy())
}

// broken asks that the rollout got as far as pods that do not become available.
func broken(j *spec.Checks) {
	j.Given(NeverBetween(TemplateChanged(), Marked(repair), PodAvailable(OfVersion("v2"))), AtLeast(1, PodCreated(OfVersion("v2"))))
}
