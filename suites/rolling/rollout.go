package rolling

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rollout are the specs of a rollout that nothing disturbs.
func rollout() {
	spec.It("replaces every pod, one deletion and one creation each",
		spec.Decides("ROLLING-001", "ROLLING-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("ROLLING-001", expect.RolledOut(), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
			c.Decide("ROLLING-018", Exactly(4, PodDeleted()), Exactly(4, PodCreated(OfVersion("v2"))))
		})

	spec.It("keeps what it promises for every instant, with minReadySeconds and pods that are slow to start",
		spec.Decides("ROLLING-002", "ROLLING-013", "STATUS-006", "STATUS-007", "STATUS-013"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 6)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"), MinReadySeconds(1))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.Decide("ROLLING-002", expect.RolledOut())
		})

	spec.It("takes down the next pod only when the one before has been replaced by an available one",
		spec.Decides("ROLLING-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), MinReadySeconds(2))
			c.RollOut(ctx, daemonSet, Image("v2"))
			available, deleted := PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))
			c.Decide("ROLLING-005",
				Before(Nth(1, available), Nth(2, deleted)),
				Before(Nth(2, available), Nth(3, deleted)))
		})

	spec.It("replaces all pods at once when maxUnavailable covers every node",
		spec.Decides("ROLLING-014"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("100%"))
			daemonSet = stall(ctx, c, daemonSet, "v2", 4)
			c.Update(ctx, daemonSet, MaxUnavailable("7"))
			stall(ctx, c, daemonSet, "v3", 4)
			c.Decide("ROLLING-014",
				OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))),
				OnEveryNode(Exactly(1, PodDeleted(OfVersion("v2")))),
				Never(PodReady(OfVersion("v2"))))
		})
}
