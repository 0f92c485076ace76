package pdb

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meanwhile is the spec of pods that are relabelled while others are not as they should be, and after the controller began anew.
func meanwhile() {
	spec.It("follows relabelled pods while others terminate, have ended and are not Ready, and after a restart",
		spec.Decides("PDB-027", "PDB-028", "PDB-031"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2", "bare-3", "bare-4", "bare-5", "bare-6")
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(Scaled{Name: "bare"}.Labels()))
			// What is selected no more is selected by two budgets.
			another := Scaled{Name: "another"}
			right := state.All(
				Computed(budget),
				Computed(c.CreateBudget(ctx, "first", MinAvailable("1"), Selecting(another.Labels()))),
				Computed(c.CreateBudget(ctx, "second", MinAvailable("2"), Selecting(another.Labels()))))
			c.Await(ctx, right)
			c.WriteBudgetStatus(ctx, budget, AddCondition("example.org/Checked"))
			c.Pods.HoldTermination(ctx, pods[6])
			for i, change := range []func(){
				func() { c.DeletePod(ctx, pods[6], time.Minute) },
				func() { c.Pods.Fail(ctx, pods[5]) },
				func() { c.Pods.BecomeUnready(ctx, pods[4]) },
				func() { c.Restart(ctx) },
			} {
				change()
				c.Await(ctx, right)
				// What the controller does about its own writes is over.
				c.Await(ctx, Quiet(judge.Lag))
				c.LabelPod(ctx, pods[i], another.Labels())
				if !c.Await(ctx, right) {
					return
				}
				c.Await(ctx, Quiet(silent))
			}
		}, nil, recorded(), spec.SimulatedNodes{}, spec.Alone{})
}
