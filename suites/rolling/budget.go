package rolling

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// budget are the specs of how many pods maxUnavailable lets be taken down. The updated pods never become ready, so what was taken down stays down,
// and can be counted. Nobody has to use the limit up.
func budget() {
	for _, row := range rollouts.Roundings() {
		spec.It(fmt.Sprintf("rounds %s of %d nodes up to %d", row.Percentage, row.Nodes, row.Allowed),
			spec.Decides("ROLLING-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, row.Nodes)
				stall(ctx, c, c.Deploy(ctx, MaxUnavailable(row.Percentage)), "v2", row.Allowed)
			},
			func(j *spec.Checks) {
				j.Decide("ROLLING-003", AtLeast(1, PodDeleted(OfVersion("v1"))), UpTo(row.Allowed, PodDeleted(OfVersion("v1"))))
			})
	}

	spec.It("keeps to each of many limits of five nodes, numbers and percentages, that change with the template",
		spec.Decides("ROLLING-003"),
		func(ctx context.Context, c *spec.Case) { rollouts.EveryLimit(ctx, c, MaxUnavailable) },
		func(j *spec.Checks) { j.Decide("ROLLING-003", Keeps("ROLLING-002")) }, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that should run the pod, not of the pods that do, and again when nodes become ineligible",
		spec.Decides("ROLLING-004", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 13)
			daemonSet := c.Deploy(ctx, MaxUnavailable("25%"))
			rollouts.TaintNodes(ctx, c, nodes[:3]...)
			c.Await(ctx, Quiet(time.Second))
			updated := stall(ctx, c, daemonSet, "v2", 3)
			// Of the 4 nodes that are left, 25% is 1: with two of three pods ready the limit is still used up.
			rollouts.TaintNodes(ctx, c, rollouts.Untouched(ctx, c, updated, 6)...)
			c.Await(ctx, Quiet(2*time.Second))
			c.BecomeReadyInTurn(ctx, updated, 2)
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated, history.IsReady))
		},
		func(j *spec.Checks) {
			// 25% of the 10 nodes that stay eligible at first is 3; of the 13 whose pods go on running it would be 4.
			eligible := PodDeleted(OfVersion("v1")).Where("on an eligible node", Moment.NodeIsEligible)
			j.Decide("ROLLING-004", AtLeast(1, eligible), UpTo(3, eligible))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that are left when others have been deleted, although their pods are still there",
		spec.Decides("ROLLING-004"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("50%"))
			for _, node := range nodes[:2] {
				rollouts.Remove(ctx, c, node)
			}
			c.Await(ctx, Quiet(2*time.Second))
			// 50% of 2 is 1. The pod garbage collector lets the others' pods be for 40 seconds.
			stall(ctx, c, daemonSet, "v2", 1)
		},
		func(j *spec.Checks) {
			left := PodDeleted(OfVersion("v1")).Where("on an eligible node", Moment.NodeIsEligible)
			// That the others go on at all is TARGET-006.
			j.Decide("ROLLING-004", Tested(AtLeast(1, left)), UpTo(1, left))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that are left when others were deleted while no controller ran",
		spec.Decides("ROLLING-004", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 6)
			updated := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("50%")), "v2", 3)
			rollouts.RemoveMeanwhile(ctx, c, updated, rollouts.Others(nodes, rollouts.Untouched(ctx, c, updated, 3)...)...)
		},
		func(j *spec.Checks) {
			// 50% of 3 is 2, of the 6 that the status still tells of when the controller begins it would be 3.
			left := After(availableDeleted().Where("on an eligible node", Moment.NodeIsEligible), Began(history.RestartImplementation))
			j.Decide("ROLLING-004", Tested(AtLeast(1, left)), UpTo(2, left))
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("stops after maxUnavailable broken pods, since they count as unavailable themselves",
		spec.Decides("ROLLING-010", "ROLLING-012", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 5})
			updated := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("2")), "v2", 2)
			// 20 % of 3 to 5 nodes is 1: with one of the two pods ready, that limit is still used up.
			updated = c.Update(ctx, updated, MaxUnavailable("20%"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated))
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-010", UpTo(2, PodDeleted(OfVersion("v1"))))
			j.Decide("ROLLING-012", UpTo(2, PodDeleted(OfVersion("v1"))))
		})

	spec.It("stops after maxUnavailable nodes whose updated pods fail again and again, also while it waits to replace them",
		spec.Decides("ROLLING-012", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			rollouts.AwaitFailures(ctx, c, c.Update(ctx, daemonSet, Image("v2"), Failing()), 1)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(3, PodCreated(OfVersion("v2"))))
			j.Decide("ROLLING-012", UpTo(1, PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("counts the updated pod of a cordoned node that joined during the rollout as unavailable",
		spec.Decides("ROLLING-010", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("2")), "v2", 2)
			joined := c.AddNodes(ctx, 1, func(node *corev1.Node) { node.Spec.Unschedulable = true })[0]
			c.Await(ctx, UpdatedOn(1, updated, OnNode(joined), Running))
			// With one of the others ready the limit is still used up, with both there is room for one.
			for i := range 2 {
				if pod := c.AwaitUpdated(ctx, updated, Running, NotReady, NotOnNode(joined)); pod != nil {
					c.Pods.BecomeReady(ctx, pod)
				}
				rollouts.Settle(ctx, c, updated, UpdatedOn(3+i, updated))
			}
		}, nil, spec.SimulatedNodes{})

	spec.It("counts a node whose only pod is terminating as unavailable",
		spec.Decides("ROLLING-009", "DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), IgnoreSIGTERM())
			c.DeletePod(ctx, c.LivePods(ctx, daemonSet)[0], 30*time.Second)
			// Longer than a controller may be late, so that the update is not the first that it acts on.
			c.Await(ctx, Quiet(3*time.Second))
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(PodDeleted(OfVersion("v1")), Began(history.UpdateDaemonSet)), Never(PodGone(OfVersion("v1"))))
			j.Decide("ROLLING-009", Never(After(PodDeleted(OfVersion("v1")), Began(history.UpdateDaemonSet))))
			j.Decide("DRAIN-003", Never(PodCreated(OfVersion("v2"))))
		})
}
