package unready

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// late is the spec of old pods whose lapse a controller hears of while it has yet to hear of what it did itself.
func late() {
	spec.It("makes updated pods at once where old pods stopped being Ready, though it hears of that between its own first act for a template and the news of it",
		spec.Decides("UNREADY-001", "UNREADY-009"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 4
			stalled, old := loseOn(ctx, c, nodes, nodes-1)
			c.DelayWatches(ctx, newsTakes, "pods")
			for _, pod := range old {
				c.Pods.BecomeUnready(ctx, pod)
			}
			// The node that surges gets another pod first, which uses the limit up for good.
			updated := c.Update(ctx, stalled, Image("v3"), NeverReady())
			c.Await(ctx, Past(time.Now().Add(2*newsTakes)))
			c.EndWatchDelay(ctx)
			c.Await(ctx, UpdatedOn(nodes, updated))
		},
		func(j *spec.Checks) {
			j.Decide("UNREADY-009", Keeps("UNREADY-001"))
			for _, node := range j.BoundAll(lost) {
				j.Decide("UNREADY-009", AtLeast(1, After(PodCreated(OfVersion("v3")).On(node), PodUnready(OfVersion("v1")).On(node))))
			}
		}, spec.Alone{Relay: true}, spec.SimulatedNodes{})
}

// newsTakes is how late the implementation hears of pods.
const newsTakes = time.Second
