package conditions

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// causes are the specs of stalls whose nodes are not those that the rollout began with.
func causes() {
	spec.It("reports what a stall is left with when the node of its first cause leaves",
		spec.Decides("COND-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxUnavailable("2"))
			crowd(ctx, c, nodes[1])
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			// On the one node the image cannot be pulled, on the other there is no room.
			updated := c.Update(ctx, before, UnpullableImage(), rollouts.Demand("4"))
			c.Require(ctx, "both nodes have an updated pod", UpdatedOn(2, updated))
			rollouts.NeedsScheduler(ctx, c, updated, nodes[1])
			report.Await(ctx, c)
			// Longer than a controller may be late with the second cause.
			c.Await(ctx, Quiet(3*time.Second))
			first, second := c.LivePodOn(ctx, updated, nodes[0]), c.LivePodOn(ctx, updated, nodes[1])
			rollouts.Remove(ctx, c, nodes[0])
			// Nothing collects it for a while, and it is no cause any more.
			c.DeletePod(ctx, first, 0)
			c.AwaitAfter(ctx, judge.ReportWithin, state.When("a condition names what the stall is left with", func(cluster *history.Cluster) bool {
				now, pod := cluster.DaemonSets[updated.UID], cluster.Pods[second.UID]
				return now != nil && pod != nil && len(history.StallConditions(nil, now.Status.Conditions, history.Hindrances(pod))) > 0
			}))
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.SimulatedNodes{})

	spec.It("reports a stall that begins after a node left during the rollout",
		spec.Decides("COND-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			before := c.Deploy(ctx, MaxUnavailable("1"))
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, Image("v2"), rollouts.Demand("4"), NeverReady())
			first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady)
			untouched := rollouts.Untouched(ctx, c, updated, 2)
			pod := c.LivePodOn(ctx, updated, untouched[0])
			rollouts.Remove(ctx, c, untouched[0])
			c.DeletePod(ctx, pod, 0)
			// What is left is a node without room.
			crowd(ctx, c, untouched[1])
			c.Pods.BecomeReady(ctx, first)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(untouched[1])))
			rollouts.NeedsScheduler(ctx, c, updated, untouched[1])
			report.Await(ctx, c)
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.SimulatedNodes{})
}
