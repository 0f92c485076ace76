package pdb

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limits are the specs of the limits that a budget can have. Shares of three and of five pods tell rounding up from rounding down, and 28 %
// of 25, which is 7, from what it is in floating point.
func limits() {
	for _, limit := range []struct {
		id     requirements.ID
		text   string
		values []BudgetEdit
	}{
		{"PDB-001", "an integer minAvailable", []BudgetEdit{MinAvailable("2"), MinAvailable("1"), MinAvailable("4")}},
		{"PDB-002", "a percentage minAvailable", []BudgetEdit{MinAvailable("28%"), MinAvailable("34%"), MinAvailable("70%")}},
		{"PDB-003", "an integer maxUnavailable", []BudgetEdit{MaxDisrupted("1"), MaxDisrupted("2"), MaxDisrupted("7")}},
		{"PDB-004", "a percentage maxUnavailable", []BudgetEdit{MaxDisrupted("28%"), MaxDisrupted("34%"), MaxDisrupted("70%")}},
	} {
		spec.It("computes the status for "+limit.text+", and follows the budget and the pods",
			spec.Decides(limit.id, "PDB-010", "PDB-011", "PDB-017", "PDB-026"),
			func(ctx context.Context, c *spec.Case) {
				workload := web(ctx, c, 3)
				budget := guarded(ctx, c, workload, limit.values[0])
				if !changed(ctx, c, budget, limit.values[1]) || !changed(ctx, c, budget, limit.values[2]) {
					return
				}
				budget = c.UpdateBudget(ctx, budget, limit.values[0])
				c.Await(ctx, Computed(budget))
				// No number follows from it.
				budget = c.UpdateBudget(ctx, budget, Policy("AlwaysAllow"))
				c.Await(ctx, Computed(budget))
				// What the controller does about its own write is over.
				c.Await(ctx, Quiet(judge.Lag))
				pod := c.PodsOf(ctx, workload)[0]
				c.Pods.BecomeUnready(ctx, pod)
				if !c.Await(ctx, Computed(budget)) {
					return
				}
				c.Pods.BecomeReady(ctx, pod)
				c.Await(ctx, Computed(budget))
				c.Scale(ctx, workload, 5)
				c.Await(ctx, LivePodsOf(workload, 5, history.IsReady))
				if !c.Await(ctx, Computed(budget)) {
					return
				}
				askForMore(ctx, c, workload, 25)
				c.Await(ctx, Computed(budget))
			}, nil, recorded(), spec.SimulatedNodes{})
	}

	spec.It("allows no disruption with minAvailable 100% or maxUnavailable 0, nor where no pod matches, and begins anew with a budget of the same name",
		spec.Decides("PDB-005", "PDB-006", "PDB-011", "PDB-001"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("50%"))
			for _, none := range []BudgetEdit{MinAvailable("100%"), MaxDisrupted("0"), MaxDisrupted("0%")} {
				if !changed(ctx, c, budget, none) || !changed(ctx, c, budget, MaxDisrupted("2")) {
					return
				}
			}
			changed(ctx, c, budget, MinAvailable("0"))
			changed(ctx, c, budget, Selecting(map[string]string{"app": "nobody"}))
			c.DeleteBudget(ctx, budget)
			// The next budget has the same name and the same status.
			c.DeleteBudget(ctx, guarded(ctx, c, workload, MinAvailable("1")))
			guarded(ctx, c, workload, MinAvailable("1"))
		}, nil, recorded(), spec.SimulatedNodes{})
}
