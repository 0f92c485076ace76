package conditions

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// left are the specs of stalls that end because their node is removed, by hand, or while no controller runs.
func left() {
	spec.It("takes the report of a stall back when the node leaves on which the rollout could not go on",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxUnavailable("2"))
			crowd(ctx, c, nodes[0])
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, Image("v2"), rollouts.Demand("4"))
			c.Await(ctx, UpdatedOn(1, updated, OnNode(nodes[0])))
			rollouts.NeedsScheduler(ctx, c, updated, nodes[0])
			report.Await(ctx, c)
			c.Mark(over)
			rollouts.Remove(ctx, c, nodes[0])
			c.Await(ctx, RolledOut(updated))
			report.AwaitTakenBack(ctx, c)
		},
		takenBackAtTheEnd, spec.SimulatedNodes{})

	spec.It("takes the report of a stall back when the last node leaves the selector",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1, rollouts.InPool)[0]
			before := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, UnpullableImage())
			c.Await(ctx, UpdatedOn(1, updated))
			report.Await(ctx, c)
			c.Mark(over)
			rollouts.LeavePool(ctx, c, node)
			c.Await(ctx, RolledOut(updated))
			report.AwaitTakenBack(ctx, c)
		},
		takenBackAtTheEnd, spec.SimulatedNodes{})

	spec.It("takes the report of a stall back when its rollout is finished by hand, with OnDelete",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxSurge("1"))
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			stalled := c.Update(ctx, before, Image("v2"), rollouts.Demand("1M"))
			c.Await(ctx, UpdatedOn(1, stalled))
			rollouts.NeedsScheduler(ctx, c, stalled)
			report.Await(ctx, c)
			c.Mark(over)
			manual := c.Update(ctx, stalled, OnDelete(), Image("v3"), rollouts.Demand("1m"))
			c.Await(ctx, Processed(manual))
			c.Await(ctx, Quiet(time.Second))
			for _, pod := range c.LivePods(ctx, manual) {
				c.DeletePod(ctx, pod, 0)
			}
			c.Await(ctx, RolledOut(manual))
			report.AwaitTakenBack(ctx, c)
		},
		takenBackAtTheEnd, spec.SimulatedNodes{})

	spec.It("takes the report of a stall back when the node leaves on which the rollout could not go on, with another limit, other nodes and a restart meanwhile",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3, rollouts.InPool)
			before := c.Deploy(ctx, MaxUnavailable("3"), rollouts.OnPool())
			crowd(ctx, c, nodes[0])
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, Image("v2"), rollouts.Demand("4"))
			c.Await(ctx, UpdatedOn(1, updated, OnNode(nodes[0])))
			rollouts.NeedsScheduler(ctx, c, updated, nodes[0])
			report.Await(ctx, c)
			updated = c.Update(ctx, updated, MaxUnavailable("1"))
			// One comes, and one goes that has nothing to do with it.
			joined := c.AddNodes(ctx, 1, rollouts.InPool)
			rollouts.LeavePool(ctx, c, nodes[2])
			c.Restart(ctx)
			c.Await(ctx, state.All(UpdatedOn(1, updated, OnNode(joined[0])), rollouts.NoPodOn(updated, nodes[2])))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(over)
			rollouts.Remove(ctx, c, nodes[0])
			c.Await(ctx, RolledOut(updated))
			report.AwaitTakenBack(ctx, c)
		},
		takenBackAtTheEnd, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("takes the report of a stall back whose cause goes away while no controller runs",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxSurge("1"))
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, Image("v2"), rollouts.Demand("1M"))
			c.Await(ctx, UpdatedOn(1, updated))
			rollouts.NeedsScheduler(ctx, c, updated)
			report.Await(ctx, c)
			c.Kill(ctx)
			c.Mark(over)
			mended := c.Update(ctx, updated, Image("v3"), rollouts.Demand("1m"))
			c.Restart(ctx)
			c.Await(ctx, RolledOut(mended))
			report.AwaitTakenBack(ctx, c)
		},
		takenBackAtTheEnd, spec.SimulatedNodes{}, spec.Alone{})
}

// takenBackAtTheEnd decides that the report of the stall that was over at the mark is taken back when the rollout ends.
func takenBackAtTheEnd(j *spec.Checks) {
	reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin}
	j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
}

// crowd leaves pods that ask for 4 CPUs no room on the node: a simulated one has 8 CPUs.
func crowd(ctx context.Context, c *spec.Case, node string) {
	c.MakePod(ctx, "large", node, map[string]string{"app": "large"}, func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("6")}
	})
}
