package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// waiting is the minReadySeconds of the pods that a controller hangs beside. It leaves time to have it hang.
const waiting = 3

// hangs is the spec of a controller that stands still, as on a machine that is suspended, and goes on with what it knew. Meanwhile minReadySeconds end.
func hangs() {
	spec.It("goes on with a rollout after it hung for longer than minReadySeconds, with maxUnavailable and with maxSurge",
		spec.Decides("RECOVERY-001", "SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), MinReadySeconds(waiting))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			hang(ctx, c, updated)
			if !c.Await(ctx, RolledOut(updated)) {
				return
			}
			surging := c.Update(ctx, updated, Image("v3"), MaxSurge("1"))
			hang(ctx, c, surging)
			c.Await(ctx, RolledOut(surging))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ResumeImplementation)))
			both := Tested(Exactly(2, Done(history.ResumeImplementation)))
			j.Decide("SURGE-007", both)
			j.Decide("RECOVERY-001", both, EndsRolledOut(), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
		}, spec.Alone{})
}

// hang has the controller stand still from when an updated pod is Ready until it has been available for a while. Nothing happens meanwhile that forbids what
// the controller may have been about to do.
func hang(ctx context.Context, c *spec.Case, updated *appsv1.DaemonSet) {
	ready := c.RequireUpdated(ctx, "an updated pod is Ready", updated, history.IsReady)
	c.Suspend(ctx)
	c.RequireNotYetAvailable(ready, waiting)
	from, _ := history.AvailableFrom(ready, waiting)
	c.Await(ctx, Past(from.Add(2*time.Second)))
	c.Resume(ctx)
}
