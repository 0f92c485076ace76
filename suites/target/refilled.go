package target

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refilled is the node whose pod somebody else deletes.
const refilled = "the node whose pod is deleted by hand"

// refills are the specs of what comes in the place of a pod that was there before.
func refills() {
	spec.It("makes a pod of the current revision in the place of one whose deletion began before the template changed, without surge",
		spec.Decides("TARGET-004"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			c.Bind(refilled, node)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), IgnoreSIGTERM())
			pod := c.LivePodOn(ctx, daemonSet, node)
			c.DeletePod(ctx, pod, time.Minute)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Processed(updated))
			c.Await(ctx, Quiet(late))
			c.Pods.ReleaseTermination(ctx, pod)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) { current(j, TemplateChanged()) }, spec.SimulatedNodes{})

	spec.It("makes a pod of the current revision in the place of an old one that somebody deletes while the rollout is held up, without surge",
		spec.Decides("TARGET-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			node := rollouts.Untouched(ctx, c, stalled, 1)[0]
			c.Bind(refilled, node)
			c.DeletePod(ctx, c.LivePodOn(ctx, stalled, node), 0)
			c.Await(ctx, UpdatedOn(1, stalled, OnNode(node)))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) { current(j, Began(history.DeletePod)) }, spec.SimulatedNodes{})

	spec.It("keeps a pod that a rollout has made when it is not Ready any more, without surge",
		spec.Decides("ROLLING-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Pods.BecomeUnready(ctx, c.LivePods(ctx, daemonSet)[0])
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.BecomeUnready)), OnEveryNode(AtLeast(1, PodDeleted(OfVersion("v1")))))
			j.Decide("ROLLING-015", Never(PodDeleted(OfVersion("v2"))))
		}, spec.SimulatedNodes{})
}

// current asks that what is created, from then on, on the node where somebody deleted a pod is of the current revision.
func current(j *spec.Checks, from Event) {
	node := j.Bound(refilled)
	j.Given(Exactly(1, Done(history.DeletePod)))
	j.Decide("TARGET-004", AtLeast(1, After(PodCreated(OfVersion("v2")).On(node), from)), Never(After(PodCreated(OfVersion("v1")).On(node), from)))
}
