package surge

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unavailable are the specs of old pods that are not available while a rollout is under way.
func unavailable() {
	spec.It("counts no node against maxSurge whose old pod is not available",
		spec.Decides("SURGE-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			const hour = 3600
			for _, pod := range c.LivePods(ctx, daemonSet)[1:] {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
			}
			// The first node's pod is Ready, and for an hour to come not available.
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(hour))
			c.Require(ctx, "the controller has seen the new minReadySeconds", Processed(daemonSet))
			updated := stall(ctx, c, daemonSet, 2)
			// While the first node's updated pod goes on not being ready, one after the other of the rest becomes available.
			for range 3 {
				pod := c.AwaitUpdated(ctx, updated, NotOnNode(nodes[0]), Running, NotReady)
				if pod == nil {
					break
				}
				c.Pods.BecomeReady(ctx, pod)
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
			}
			c.Await(ctx, Quiet(time.Second))
			c.Decide("SURGE-013",
				Exactly(1, PodCreated(OfVersion("v2")).On(nodes[0])),
				Exactly(4, PodCreated(OfVersion("v2"))),
				Exactly(3, PodDeleted(OfVersion("v1")).Where("available", func(o Occurrence) bool { return o.WasAvailable() })))
		}, spec.SimulatedNodes{})

	spec.It("keeps one pod of each revision at most while neither is ready, and ends with one",
		spec.Decides("SURGE-022"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			old := c.LivePods(ctx, daemonSet)
			updated := stall(ctx, c, daemonSet, len(old))
			for _, pod := range old {
				c.Pods.BecomeUnready(ctx, pod)
			}
			c.Await(ctx, Quiet(time.Second))
			c.BecomeReadyInTurn(ctx, updated, len(old))
			c.Await(ctx, RolledOut(updated))
			c.Decide("SURGE-022",
				expect.RolledOut(),
				Never(PodCreated().Where("a third live pod on its node", func(o Occurrence) bool { return len(o.LivePodsBeside()) > 1 })))
		})
}
