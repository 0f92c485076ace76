package pdb

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// successors is the spec of a workload that is created again while pods of the one before it terminate.
func successors() {
	spec.It("counts a workload that was created again under its name once while pods of the former one terminate",
		spec.Decides("PDB-003", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			former := web(ctx, c, 2)
			leaving := c.PodsOf(ctx, former)
			for _, pod := range leaving {
				c.Pods.HoldTermination(ctx, pod)
			}
			c.DeleteScaled(ctx, former)
			c.Require(ctx, "its pods terminate", LivePodsOf(former, 0))
			again := c.RunScaled(ctx, history.KindReplicaSet, former.Name, 3)
			c.Require(ctx, "the pods of the next one are Ready", LivePodsOf(again, 3, history.IsReady))
			// So that something is allowed whatever is counted: a budget that allows nothing may have failed for the pods that terminate.
			budget := guarded(ctx, c, again, MaxDisrupted("4"))
			c.Await(ctx, toldOf(budget))
			budget = c.UpdateBudget(ctx, budget, MinAvailable("20%"))
			c.Await(ctx, Quiet(silent))
			c.Await(ctx, toldOf(budget))
			for _, pod := range leaving {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, state.All(LivePodsOf(again, 3, history.IsReady), Computed(budget)))
			c.Await(ctx, Computed(c.UpdateBudget(ctx, budget, MaxDisrupted("2"))))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})
}

// toldOf holds when the budget's status is what the pods make it, or says that it cannot be computed: who controls a pod on its way out may be asked for, too.
func toldOf(budget *policyv1.PodDisruptionBudget) Condition {
	return state.Any(Computed(budget), state.Budget(budget.Name, "it cannot be computed", failed))
}
