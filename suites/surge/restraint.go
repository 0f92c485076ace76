package surge

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restraint are the specs of what a controller must not do over and over. They are for simulated nodes, on which pods fail at once: with the time that a
// kubelet takes to reject a pod and to let go of it, delays would seem to grow, or not to, that are none of the controller's.
func restraint() {
	spec.It("backs off from updated pods that keep failing beside an old one, which stays up",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), Failing())
			c.Await(ctx, PodsSeen(updated, 5))
			c.Decide("SURGE-024", backsOff(PodCreated(OfVersion("v2")).On(nodes[0])), Never(PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("backs off from pods that keep failing on a node that has no other",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1"), Failing()))
			c.Await(ctx, PodsSeen(daemonSet, 5))
			c.Decide("SURGE-024", backsOff(PodCreated(OfVersion("v1")).On(nodes[0])))
		}, spec.SimulatedNodes{})
}

// backsOff asks that pods are created after growing delays and do not pile up. The first retry may come at once; after it the delays are a second, two
// and four or more. Two at a time are asked for far less than that, because an event that is heard of late makes what follows seem early.
func backsOff(created Event) Matcher {
	return All(
		AtLeast(4, created),
		NotWithin(time.Second, Nth(2, created), Nth(4, created)),
		NotWithin(2500*time.Millisecond, Nth(3, created), Nth(5, created)),
		Never(created.Where("with more than two other pods on its node", func(o Occurrence) bool { return len(o.PodsBeside()) > 2 })))
}
