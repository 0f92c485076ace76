package rolling

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	// newcomer is the node that the scenarios below add during their rollout.
	newcomer = "the node that joins"
	// goingOn is where what keeps their rollout from going on goes away.
	goingOn history.Mark = "the rollout can go on"
)

// joiners are the specs of nodes that join during a rollout and have their pod at once: they make no room for others.
func joiners() {
	spec.It("takes down no further pod when a node joins during the rollout and has an available one, while the updated pod of another is not available",
		spec.Decides("ROLLING-002", "ROLLING-005", "ROLLING-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			joined := c.AddNodes(ctx, 1)[0]
			c.Bind(newcomer, joined)
			if pod := c.AwaitUpdated(ctx, updated, OnNode(joined), Running); pod != nil {
				c.Pods.BecomeReady(ctx, pod)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(goingOn)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			available := PodAvailable(OfVersion("v2"))
			joined := available.On(j.Bound(newcomer))
			j.Given(Before(joined, Marked(goingOn)))
			j.Decide("ROLLING-010", UpTo(1, Between(availableDeleted(), Began(history.UpdateDaemonSet), Marked(goingOn))))
			// The first that is available is that of the node that joined.
			j.Decide("ROLLING-005", Before(Nth(2, available), Nth(2, availableDeleted())))
		}, spec.SimulatedNodes{})

	spec.It("takes down no pod when a node joins during the rollout and has an available one, while the only pod of another is terminating",
		spec.Decides("ROLLING-002", "ROLLING-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			leaving := c.LivePods(ctx, daemonSet)[0]
			c.Pods.HoldTermination(ctx, leaving)
			c.DeletePod(ctx, leaving, 30*time.Second)
			// Longer than a controller may be late, so that the update is not the first that it acts on.
			c.Await(ctx, Quiet(3*time.Second))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the update", Processed(updated))
			joined := c.AddNodes(ctx, 1)[0]
			c.Bind(newcomer, joined)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(joined), history.IsReady))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(goingOn)
			c.Pods.ReleaseTermination(ctx, leaving)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(Before(PodAvailable(OfVersion("v2")).On(j.Bound(newcomer)), Marked(goingOn)), Before(Marked(goingOn), PodGone(OfVersion("v1"))))
			j.Decide("ROLLING-009", NeverBetween(Began(history.UpdateDaemonSet), Marked(goingOn), PodDeleted(OfVersion("v1"))), EndsRolledOut())
		}, spec.SimulatedNodes{})
}
