package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// cutFor is how long the implementation hears nothing of what happens.
const cutFor = 5 * time.Second

// watches is the spec of watches that break, and of a list after that which breaks off, too. What happens meanwhile is what rollouts wait for, so that nobody acts wrongly who does not know it yet.
func watches() {
	spec.It("carries rollouts on when its watches break and have to be listed again, with no pod too many and the limits kept",
		spec.Decides("RECOVERY-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady)
			c.CutOff(ctx)
			c.Pods.BecomeReady(ctx, first)
			c.Await(ctx, Past(time.Now().Add(cutFor)))
			// What is under way now never arrives.
			c.BreakWatches(ctx)
			c.Reconnect(ctx)
			c.BecomeReadyInTurn(ctx, updated, 2)
			if !c.Await(ctx, RolledOut(updated)) {
				return
			}
			again := c.Update(ctx, updated, Image("v3"), Healthy(), ReadyAfter(2*time.Second), MaxUnavailable("1"))
			c.Require(ctx, "the first updated pod has been created", UpdatedOn(1, again))
			c.SetFaults(ctx, relay.Fault{Of: relay.Selector{Verbs: []string{"list", "watch"}, Resource: "pods"}, Effect: relay.BrokenAnswer{}})
			c.BreakWatches(ctx)
			c.Await(ctx, RolledOut(again))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			// What the implementation does while it is cut off shows that it is not.
			cut, over := Done(history.CutOffImplementation), Began(history.ReconnectImplementation)
			j.Given(NeverBetween(cut, over, PodDeleted()), NeverBetween(cut, over, PodCreated()), AtLeast(1, Done(history.BreakWatches)))
			j.Decide("RECOVERY-007", Tested(Exactly(1, Done(history.BreakAnswer))), EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("SURGE-016"), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
			for _, version := range []string{"v2", "v3"} {
				j.Decide("RECOVERY-007", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))), OnEveryNode(AtMost(1, PodDeleted(OfVersion(version)))))
			}
		}, spec.Alone{Relay: true})
}
