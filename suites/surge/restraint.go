package surge

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restraint are the specs of what a controller must not do over and over.
func restraint() {
	spec.It("backs off from pods that keep failing, and keeps the old ones up",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), Failing())
			created := PodCreated(OfVersion("v2")).On(nodes[0])
			c.Await(ctx, PodsSeen(updated, 5))
			// The first retry may come at once; after it the delay starts at 1 s or more and grows.
			c.Decide("SURGE-024",
				AtLeast(4, created),
				NotWithin(500*time.Millisecond, Nth(2, created), Nth(3, created)),
				NotWithin(1500*time.Millisecond, Nth(3, created), Nth(4, created)),
				Never(PodDeleted(OfVersion("v1"))),
				Never(PodCreated().Where("with more than two other pods on its node", func(o Occurrence) bool { return len(o.PodsBeside()) > 2 })))
		})
}
