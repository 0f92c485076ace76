package pdb

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// relabelled are the specs of pods that come to a budget, or leave it, while they are not healthy or their eviction is under way.
func relabelled() {
	spec.It("brings the status up to date when a pod is relabelled that is not Ready",
		spec.Decides("PDB-026", "PDB-027"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))
			c.Await(ctx, Computed(budget))
			for i, app := range []string{"another", "bare"} {
				// This makes everybody look, also who did not when the label changed.
				c.Pods.BecomeUnready(ctx, pods[i])
				c.Await(ctx, Computed(budget))
				c.Await(ctx, Quiet(judge.Lag))
				c.LabelPod(ctx, pods[0], map[string]string{"app": app})
				c.Await(ctx, Computed(budget))
				c.Await(ctx, Quiet(silent))
			}
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("counts a relabelled pod as healthy for the budget that selects it now, though the other one lists it in disruptedPods",
		spec.Decides("PDB-001", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			another := map[string]string{"app": "another"}
			first := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))
			second := c.CreateBudget(ctx, "second", MinAvailable("1"), Selecting(another))
			c.Await(ctx, state.All(Computed(first), Computed(second)))
			c.WriteBudgetStatus(ctx, first, ListDisrupted(pods[0].Name, time.Now()))
			// It is not about who notices a written status: this makes everybody look.
			c.Pods.BecomeUnready(ctx, pods[1])
			c.Await(ctx, Computed(first))
			c.Await(ctx, Quiet(judge.Lag))
			c.LabelPod(ctx, pods[0], another)
			c.Await(ctx, state.All(Computed(first), Computed(second)))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("expects the scale of a workload whose only pod disruptedPods lists",
		spec.Decides("PDB-003", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 3)
			small := c.RunScaled(ctx, history.KindReplicaSet, "small", 1)
			c.Require(ctx, "the other pod is Ready", LivePodsOf(small, 1, history.IsReady))
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("1"), expressing("app", workload.Name, small.Name))
			c.Await(ctx, Computed(budget))
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(c.PodsOf(ctx, small)[0].Name, time.Now()))
			c.Pods.BecomeUnready(ctx, c.PodsOf(ctx, workload)[0])
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})
}
