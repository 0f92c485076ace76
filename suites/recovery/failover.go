package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// failover is the spec of two replicas of which one leads until it is killed.
func failover() {
	spec.It("carries rollouts with maxSurge and with maxUnavailable on when another replica takes the lead, with no pod too many and the limits kept",
		spec.Decides("RECOVERY-005"),
		func(ctx context.Context, c *spec.Case) {
			c.Elect(ctx)
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			loseLeader(ctx, c, "the first updated pod has been created", UpdatedOn(1, updated))
			loseLeader(ctx, c, "an old pod gives way to an updated one", gaveWay(updated))
			if !c.Await(ctx, RolledOut(updated)) {
				return
			}
			rolling := c.Update(ctx, updated, Image("v3"), MaxUnavailable("1"))
			loseLeader(ctx, c, "an old pod is on its way out", gaveWay(rolling))
			c.Await(ctx, RolledOut(rolling))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("RECOVERY-005", EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("SURGE-016"), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
			for _, version := range []string{"v2", "v3"} {
				j.Decide("RECOVERY-005", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))))
			}
			j.Given(AtLeast(2, Done(history.KillLeader)))
		}, spec.Alone{})
}

// loseLeader kills the leader as soon as the condition holds.
func loseLeader(ctx context.Context, c *spec.Case, when string, condition Condition) {
	c.Require(ctx, when, condition)
	c.KillLeader(ctx)
}
