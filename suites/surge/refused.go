package surge

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refused is the spec of a hand-over that was due once, and could not be carried out.
func refused() {
	spec.It("keeps an old pod whose deletion was refused while the updated one was available, once that is no longer",
		spec.Decides("SURGE-016", "AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			old := c.LivePods(ctx, daemonSet)
			c.RefuseDeletions(ctx, old...)
			updated := stall(ctx, c, daemonSet, 1)
			surging := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			c.Pods.BecomeReady(ctx, surging)
			// By then everybody has tried.
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.BecomeUnready(ctx, surging)
			// And by then everybody knows.
			c.Await(ctx, Quiet(3*time.Second))
			c.AdmitDeletions(ctx, old...)
			c.Mark(admitted)
			// Whoever tries again has tried.
			c.Await(ctx, state.Any(PodsPerNode(updated, 1), Quiet(spec.AtOnce)))
			c.Mark(recovering)
			c.Pods.BecomeReady(ctx, surging)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseDeletions)), AtLeast(1, PodUnready(OfVersion("v2"))))
			j.Decide("SURGE-016", NeverBetween(Marked(admitted), Marked(recovering), PodDeleted(OfVersion("v1")).LastAvailable()), EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// When deletions are admitted again, and the updated pod is to be available again.
const (
	admitted   history.Mark = "deletions are admitted again"
	recovering history.Mark = "the updated pod recovers"
)
