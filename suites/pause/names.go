package pause

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// namesakes is the spec of a DaemonSet that has the name of one that is paused.
func namesakes() {
	spec.It("rolls a DaemonSet out while one of its name in another namespace is paused",
		spec.Decides("PAUSE-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			here := c.Deploy(ctx, MaxSurge("1"))
			elsewhere := c.NewDaemonSet(here.Name, Image("v3"), MaxSurge("1"))
			elsewhere.Namespace = c.Bystanders()
			elsewhere = c.Create(ctx, elsewhere)
			c.Require(ctx, "the pods in the other namespace are available", Steady(elsewhere))
			pause(ctx, c, here, Image("v2"), NeverReady())
			c.Await(ctx, RolledOut(c.Update(ctx, elsewhere, Image("v4"))))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfVersion("v2"))), Never(PodDeleted(OfVersion("v1"))))
			begun := After(PodCreated(OfVersion("v4")), Marked(over))
			j.Decide("PAUSE-008",
				// No pod is made before the history of its template (HISTORY-008).
				Within(spec.AtOnce, First(After(RevisionCreated(), Marked(over))), First(begun)), OnEveryNode(AtLeast(1, PodAvailable(OfVersion("v4")))))
		}, spec.Bystanders{})
}

// returned is the spec of a node that is replaced by one of its name.
func returned() {
	spec.It("fills a node that is removed and added again under its name during a pause",
		spec.Decides("PAUSE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := pause(ctx, c, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady())
			node := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind(joined, node)
			rollouts.Replace(ctx, c, c.LivePodOn(ctx, updated, node))
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
		},
		func(j *spec.Checks) {
			node := j.Bound(joined)
			again := NodeEligible().On(node)
			j.Given(append(within(), AtLeast(1, After(again, Done(history.DeleteNode))))...)
			j.Decide("PAUSE-006", Within(spec.AtOnce, Last(again), PodCreated(OfVersion("v2")).On(node)))
		}, spec.SimulatedNodes{})
}
