package surge

import (
	"context"
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limit are the specs of how many nodes maxSurge lets surge at once. Their updated pods never become ready, so the surge pods that the controller
// creates stay, and can be counted.
func limit() {
	for _, row := range []struct {
		nodes    int
		maxSurge string
		want     int
	}{{10, "25%", 3}, {7, "30%", 3}, {3, "1%", 1}} {
		spec.It(fmt.Sprintf("rounds %s of %d nodes up to %d", row.maxSurge, row.nodes, row.want),
			spec.Decides("SURGE-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, row.nodes)
				daemonSet := c.Deploy(ctx, MaxSurge(row.maxSurge))
				stall(ctx, c, daemonSet, row.want)
				c.Decide("SURGE-003", Exactly(row.want, PodCreated(OfVersion("v2"))), Never(PodDeleted()))
			})
	}

	spec.It("takes the percentage of the eligible nodes, and again when nodes join",
		spec.Decides("SURGE-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 10)
			c.AddNodes(ctx, 3, taint)
			daemonSet := c.Deploy(ctx, MaxSurge("25%"))
			updated := stall(ctx, c, daemonSet, 3)
			c.AddNodes(ctx, 4)
			c.Await(ctx, UpdatedOn(8, updated))
			c.Await(ctx, Quiet(time.Second))
			// 25% of 10 eligible nodes is 3, of all 13 it would be 4; of 14 it is 4. A node that just joined needs no surge.
			besideOld := PodCreated(OfVersion("v2")).Where("beside an old pod", func(o Occurrence) bool { return len(o.PodsBeside()) > 0 })
			c.Decide("SURGE-004",
				Exactly(4, besideOld),
				NeverBetween(First(StimulusIs("update DaemonSet")), Last(StimulusIs("add node")), Nth(4, besideOld)),
				Exactly(8, PodCreated(OfVersion("v2"))))
		}, spec.SimulatedNodes{})

	spec.It("surges every node at once when maxSurge is no less than their number",
		spec.Decides("SURGE-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("5"))
			stall(ctx, c, daemonSet, 3)
			c.Decide("SURGE-005", OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), Never(PodDeleted()))
		})

	spec.It("fills a node without a pod at once, although the limit is used up",
		spec.Decides("SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := stall(ctx, c, daemonSet, 1)
			joined := c.AddNodes(ctx, 1)[0]
			c.Await(ctx, UpdatedOn(2, updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("SURGE-012",
				Within(judge.Prompt, NodeAdded().On(joined), PodCreated(OfVersion("v2")).On(joined)),
				Exactly(2, PodCreated(OfVersion("v2"))))
		})
}
