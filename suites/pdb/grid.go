package pdb

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// grid is the spec of many limits over several numbers of pods: each limit of one budget, one after another, at each of them.
func grid() {
	spec.It("computes the status for numbers and percentages from 0 to 100 %, of minAvailable and maxUnavailable, over one to seven pods",
		spec.Decides("PDB-001", "PDB-002", "PDB-003", "PDB-004", "PDB-005"),
		func(ctx context.Context, c *spec.Case) {
			sizes := []int32{1, 2, 3, 7}
			workload := web(ctx, c, sizes[0])
			budget := guarded(ctx, c, workload, MinAvailable("2"))
			for _, size := range sizes {
				c.Scale(ctx, workload, size)
				c.Require(ctx, "the pods are Ready", LivePodsOf(workload, int(size), history.IsReady))
				for _, limit := range everyLimit() {
					if !changed(ctx, c, budget, limit) {
						return
					}
				}
			}
		}, nil, recorded(), spec.SimulatedNodes{})
}

// everyLimit are numbers and percentages, at and beside those at which one pod more of the grid's numbers counts.
func everyLimit() []BudgetEdit {
	var all []BudgetEdit
	for _, value := range []string{"0", "1", "3", "7", "0%", "1%", "28%", "33%", "34%", "50%", "51%", "67%", "99%", "100%"} {
		all = append(all, MinAvailable(value), MaxDisrupted(value))
	}
	return all
}
