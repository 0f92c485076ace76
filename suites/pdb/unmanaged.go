package pdb

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unmanaged are the specs of pods without a controller under budgets that take a scale.
func unmanaged() {
	for _, limit := range []BudgetEdit{MaxDisrupted("1"), MinAvailable("50%")} {
		spec.It("allows no disruption where one of the pods has no controller, and some again when that pod is gone, with "+limit.Says,
			spec.Decides("PDB-022", "PDB-023", "PDB-026"),
			func(ctx context.Context, c *spec.Case) {
				workload := web(ctx, c, 3)
				budget := c.CreateBudget(ctx, guard, limit, Selecting(nil))
				c.Require(ctx, "the budget allows something", state.All(Computed(budget), state.Budget(guard, "it allows 1", allows(1))))
				c.Bind(surplus, "bare-0", "bare-1")
				bare(ctx, c, "bare-0", "bare-1")
				// What is written now is what the rules judge.
				c.Await(ctx, state.All(LivePodsOf(workload, 3), state.Budget(guard, "it allows nothing", allows(0))))
				c.Await(ctx, Quiet(silent))
				for _, pod := range c.PodsOf(ctx, Scaled{Name: "bare"}) {
					c.DeletePod(ctx, pod, time.Second)
				}
				c.Await(ctx, Computed(budget))
			},
			func(j *spec.Checks) {
				for _, pod := range j.BoundAll(surplus) {
					j.Given(AtLeast(1, PodReady(Named(pod))))
				}
			}, recorded(), spec.SimulatedNodes{})
	}

	spec.It("allows no disruption where no pod has a controller, and some once one has adopted them",
		spec.Decides("PDB-022", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			bare(ctx, c, "bare-0", "bare-1")
			budget := c.CreateBudget(ctx, guard, MinAvailable("0"), Selecting(nil))
			c.Require(ctx, "the budget allows something", Computed(budget))
			c.UpdateBudget(ctx, budget, MaxDisrupted("1"))
			c.Await(ctx, state.Budget(guard, "it allows nothing", allows(0)))
			c.Await(ctx, Quiet(silent))
			c.RunScaled(ctx, history.KindReplicaSet, "bare", 2)
			c.Await(ctx, Computed(budget))
		}, nil, recorded(), spec.SimulatedNodes{})
}

// surplus are the pods without a controller.
const surplus = "the pods without a controller"
