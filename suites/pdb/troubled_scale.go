package pdb

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// troubledScale are the specs of budgets that cannot know the scale of all their pods, among pods of every sort, and of a controller that is down meanwhile.
func troubledScale() {
	spec.It("fails safe for pods whose controller has no scale, among pods that have ended, terminate or are not Ready, also after the controller was down",
		spec.Decides("PDB-020"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			job := c.RunScaled(ctx, history.KindJob, "job", 1)
			c.Require(ctx, "the pod is Ready", LivePodsOf(job, 1, history.IsReady))
			leaving := trouble(ctx, c, workload)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("1"), Selecting(nil))
			c.Await(ctx, state.Budget(guard, "it failed", failed))
			c.UpdateBudget(ctx, budget, MinAvailable("2"))
			c.Await(ctx, state.Budget(guard, "it fails no more", recovered))
			c.Kill(ctx)
			c.UpdateBudget(ctx, budget, MinAvailable("10%"))
			c.Restart(ctx)
			c.Await(ctx, state.Budget(guard, "it failed", failed))
			c.Await(ctx, Quiet(silent))
			c.Pods.ReleaseTermination(ctx, leaving)
		}, nil, recorded(), spec.Alone{}, spec.SimulatedNodes{})

	spec.It("allows no disruption for a pod without a controller, among pods that have ended, terminate or are not Ready, also after the controller was down",
		spec.Decides("PDB-022", "PDB-023"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 6)
			leaving := trouble(ctx, c, workload)
			budget := c.CreateBudget(ctx, guard, MinAvailable("10%"), Selecting(nil))
			c.Require(ctx, "the budget allows something", Computed(budget))
			surplus := bare(ctx, c, "bare-0")
			c.Await(ctx, state.Budget(guard, "it allows nothing", allows(0)))
			c.DeletePod(ctx, surplus[0], 0)
			c.Await(ctx, Computed(budget))
			c.Kill(ctx)
			bare(ctx, c, "bare-1")
			c.Restart(ctx)
			c.Await(ctx, state.Budget(guard, "it allows nothing", allows(0)))
			c.Await(ctx, Quiet(silent))
			c.Pods.ReleaseTermination(ctx, leaving)
		}, nil, recorded(), spec.Alone{}, spec.SimulatedNodes{})
}

// trouble has one of the workload's pods fail, one stop being Ready, and one terminate until it is released, which it returns.
func trouble(ctx context.Context, c *spec.Case, workload Scaled) *corev1.Pod {
	pods := c.PodsOf(ctx, workload)
	c.Pods.Fail(ctx, pods[0])
	c.Pods.BecomeUnready(ctx, pods[1])
	c.Pods.HoldTermination(ctx, pods[2])
	c.DeletePod(ctx, pods[2], graceful)
	return pods[2]
}
