package pdb

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// several are the specs of pods that a budget ceases or comes to select, and of pods that several select. The pods have no controller, that would replace them.
func several() {
	spec.It("brings the status up to date when a pod is relabelled, so that the budget no longer selects it",
		spec.Decides("PDB-027"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))
			c.Await(ctx, Computed(budget))
			// What the controller does about its own write is over.
			c.Await(ctx, Quiet(judge.Lag))
			c.LabelPod(ctx, pods[0], map[string]string{"app": "another"})
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
			// Now the label is in no budget's matchLabels.
			budget = c.UpdateBudget(ctx, budget, expressing("app", "bare"))
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(judge.Lag))
			c.LabelPod(ctx, pods[1], map[string]string{"app": "another"})
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("brings the status of both budgets up to date when a pod is relabelled, so that another budget selects it",
		spec.Decides("PDB-027"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			both := state.All(
				Computed(c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))),
				Computed(c.CreateBudget(ctx, "second", MinAvailable("1"), Selecting(map[string]string{"app": "another"}))))
			c.Await(ctx, both)
			// What the controller does about its own writes is over.
			c.Await(ctx, Quiet(judge.Lag))
			c.LabelPod(ctx, pods[0], map[string]string{"app": "another"})
			c.Await(ctx, both)
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("brings the status of both budgets up to date that select a pod when it is relabelled, while they share another",
		spec.Decides("PDB-027"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			var each []Condition
			for _, name := range []string{guard, "second"} {
				each = append(each, Computed(c.CreateBudget(ctx, name, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))))
			}
			both := state.All(each...)
			c.Await(ctx, both)
			// What the controller does about its own writes is over.
			c.Await(ctx, Quiet(judge.Lag))
			c.LabelPod(ctx, pods[0], map[string]string{"app": "another"})
			c.Await(ctx, both)
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("follows the pods that a budget selects since it has another selector",
		spec.Decides("PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(map[string]string{"app": "nobody"}))
			c.Await(ctx, Computed(budget))
			// It is not concerned, which may be remembered.
			c.Pods.BecomeUnready(ctx, pods[1])
			c.Await(ctx, ReadyPods(2))
			c.Await(ctx, Quiet(judge.Lag))
			budget = c.UpdateBudget(ctx, budget, Selecting(Scaled{Name: "bare"}.Labels()))
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(judge.Lag))
			c.Pods.BecomeUnready(ctx, pods[0])
			c.Await(ctx, state.All(ReadyPods(1), Computed(budget)))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("brings the status of each budget up to date that selects a pod",
		spec.Decides("PDB-028"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			selecting := Selecting(Scaled{Name: "bare"}.Labels())
			both := state.All(
				Computed(c.CreateBudget(ctx, "first", MinAvailable("1"), selecting)),
				Computed(c.CreateBudget(ctx, "second", MinAvailable("2"), selecting)))
			c.Await(ctx, both)
			c.Await(ctx, Quiet(judge.Lag))
			c.Pods.BecomeUnready(ctx, pods[0])
			c.Await(ctx, both)
			c.Pods.BecomeReady(ctx, pods[0])
			c.Await(ctx, both)
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})
}
