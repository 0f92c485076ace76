package surge

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// fill are the specs of nodes without a pod, which maxSurge does not bound.
func fill() {
	spec.It("fills a node without a pod at once, although the limit is used up",
		spec.Decides("SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 3, Later: 1})
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := stall(ctx, c, daemonSet, 1)
			joined := c.AddNodes(ctx, 1)[0]
			c.Bind("joined", joined)
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, OnNode(joined)))
			emptied := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind("emptied", emptied)
			c.DeletePod(ctx, c.LivePodOn(ctx, updated, emptied), 0)
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, OnNode(emptied)))
		},
		func(j *spec.Checks) {
			joined, emptied := j.Bound("joined"), j.Bound("emptied")
			j.Decide("SURGE-012",
				Within(spec.AtOnce, NodeEligible().On(joined), PodCreated(OfVersion("v2")).On(joined)),
				Within(spec.AtOnce, PodDeleted(OfVersion("v1")).On(emptied), PodCreated(OfVersion("v2")).On(emptied)))
		})

	spec.It("fills a node that was removed and added again under its name",
		spec.Decides("SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind("again", nodes[0])
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			rollouts.Replace(ctx, c, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			again := NodeEligible().On(j.Bound("again"))
			j.Given(AtLeast(1, After(again, Done(history.DeleteNode))))
			j.Decide("SURGE-012", Within(spec.AtOnce, Last(again), PodCreated().On(j.Bound("again"))))
		}, spec.SimulatedNodes{})

	spec.It("fills the node of a pod of which one write takes both the owner and the label that the DaemonSet selects",
		spec.Decides("SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			pod := c.LivePods(ctx, daemonSet)[0]
			c.Bind("left", history.NodeOf(pod))
			// Nothing but the pod is to wake the controller: no other scenario's nodes either.
			c.Await(ctx, Quiet(3*time.Second))
			c.Detach(ctx, pod, map[string]string{"app": "quarantined"})
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Given(Exactly(1, Done(history.DetachPod)))
			j.Decide("SURGE-012", AtLeast(1, After(PodCreated().On(j.Bound("left")), Began(history.DetachPod))))
		}, spec.Alone{}, spec.SimulatedNodes{})
}
