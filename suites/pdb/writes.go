package pdb

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// writes are the specs of when the status is written, and of what is left alone in it.
func writes() {
	spec.It("writes no status when nothing in it changes, also where it cannot be computed, and one that changes beside one that cannot",
		spec.Decides("PDB-024", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			job := c.RunScaled(ctx, history.KindJob, "job", 2)
			c.Require(ctx, "the pods are Ready", LivePodsOf(job, 2, history.IsReady))
			budget := guarded(ctx, c, workload, MaxDisrupted("1"))
			c.CreateBudget(ctx, "failing", MaxDisrupted("1"), Selecting(job.Labels()))
			c.Await(ctx, state.All(Computed(budget), state.Budget("failing", "it failed", failed)))
			c.Await(ctx, Quiet(silent))
			// These are changes that a controller looks at, and that no number shows.
			for _, pod := range append(c.PodsOf(ctx, workload), c.PodsOf(ctx, job)...) {
				c.LabelPod(ctx, pod, map[string]string{"note": "x"})
			}
			c.UpdateBudget(ctx, budget, BudgetEdit{Says: "a label", Apply: func(budget *policyv1.PodDisruptionBudget) {
				budget.Labels = map[string]string{"note": "x"}
			}})
			c.Await(ctx, Quiet(silent))
			c.Pods.BecomeUnready(ctx, c.PodsOf(ctx, workload)[0])
			c.Await(ctx, Computed(budget))
		},
		func(j *spec.Checks) { j.Decide("PDB-024", NoEqualBudgetStatus()) }, recorded(), spec.SimulatedNodes{})

	spec.It("leaves conditions of others in the status as they are",
		spec.Decides("PDB-031"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			c.WriteBudgetStatus(ctx, budget, AddCondition("example.org/Checked"), FirstCondition("example.org/First"))
			c.Pods.BecomeUnready(ctx, c.PodsOf(ctx, workload)[0])
			c.Await(ctx, Computed(budget))
			budget = c.UpdateBudget(ctx, budget, MinAvailable("2"))
			c.Await(ctx, Computed(budget))
			// A Job has no scale.
			c.RunScaled(ctx, history.KindJob, "job", 1)
			budget = c.UpdateBudget(ctx, budget, MaxDisrupted("1"), Selecting(nil))
			c.Await(ctx, state.Budget(guard, "it failed", failed))
			c.Await(ctx, Quiet(silent))
			changed(ctx, c, budget, MinAvailable("1"))
		}, nil, recorded(), spec.SimulatedNodes{})
}
