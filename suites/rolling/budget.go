package rolling

import (
	"context"
	"fmt"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// budget are the specs of how many pods maxUnavailable lets be taken down. The updated pods never become ready, so what was taken down stays down,
// and can be counted.
func budget() {
	for _, row := range []struct {
		nodes          int
		maxUnavailable string
		want           int
	}{{10, "25%", 3}, {7, "30%", 3}, {3, "1%", 1}} {
		spec.It(fmt.Sprintf("rounds %s of %d nodes up to %d", row.maxUnavailable, row.nodes, row.want),
			spec.Decides("ROLLING-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, row.nodes)
				daemonSet := c.Deploy(ctx, MaxUnavailable(row.maxUnavailable))
				stall(ctx, c, daemonSet, "v2", row.want)
				c.Decide("ROLLING-003", Exactly(row.want, PodDeleted(OfVersion("v1"))))
			})
	}

	spec.It("takes the percentage of the nodes that should run the pod, not of the pods that do",
		spec.Decides("ROLLING-004"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 13)
			daemonSet := c.Deploy(ctx, MaxUnavailable("25%"))
			// 25% of the 10 nodes that stay eligible is 3; of the 13 whose pods go on running it would be 4.
			for _, node := range nodes[:3] {
				c.EditNode(ctx, "taint", node, taint)
			}
			c.Await(ctx, Quiet(time.Second))
			stall(ctx, c, daemonSet, "v2", 3)
			c.Decide("ROLLING-004", Exactly(3, PodDeleted(OfVersion("v1")).Where("on an eligible node", func(o Occurrence) bool { return o.NodeIsEligible() })))
		}, spec.SimulatedNodes{})

	spec.It("stops after maxUnavailable broken pods, since they count as unavailable themselves",
		spec.Decides("ROLLING-010", "ROLLING-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			stall(ctx, c, daemonSet, "v2", 2)
			c.Decide("ROLLING-010", Exactly(2, PodDeleted(OfVersion("v1"))), Exactly(2, PodCreated(OfVersion("v2"))))
			c.Decide("ROLLING-012", Exactly(2, PodDeleted()))
		})

	spec.It("counts a node whose only pod is terminating as unavailable",
		spec.Decides("ROLLING-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), Lasting())
			c.DeletePod(ctx, c.LivePods(ctx, daemonSet)[0], 30*time.Second)
			c.Await(ctx, Quiet(time.Second))
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("ROLLING-009",
				Exactly(1, PodDeleted(OfVersion("v1"))),
				Before(PodDeleted(OfVersion("v1")), StimulusIs("update DaemonSet")))
		})
}
