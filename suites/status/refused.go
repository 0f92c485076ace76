package status

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refused is the spec of pods that cannot be created.
func refused() {
	spec.It("follows what happens while no pod can be created",
		spec.Decides("STATUS-011", "STATUS-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx)
			c.RefusePods(ctx, ByLimit)
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), 0)
			awaitStatus(ctx, c, daemonSet, desired(3), current(2), ready(2), available(2))
			// The controller has met the refusal by now, and goes on meeting it.
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[1]))
			awaitStatus(ctx, c, daemonSet, desired(3), current(2), ready(1), available(1))
		},
		func(j *spec.Checks) {
			j.Given(AtMost(3, PodCreated()))
			j.Decide("STATUS-011", Keeps("STATUS-002"), Keeps("STATUS-004"), Keeps("STATUS-005"))
		})
	spec.It("follows what happens while no pod can be deleted",
		spec.Decides("STATUS-011"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx)
			awaitStatus(ctx, c, daemonSet, updated(3), ready(3), available(3))
			c.RefuseDeletions(ctx, c.LivePods(ctx, daemonSet)...)
			rollingOut := c.Update(ctx, daemonSet, Image("v2"))
			awaitStatus(ctx, c, rollingOut, updated(0), ready(3), available(3))
			// The controller has met the refusal by now, and goes on meeting it.
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, rollingOut, nodes[1]))
			awaitStatus(ctx, c, rollingOut, updated(0), ready(2), available(2))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseDeletions)), Never(PodDeleted()))
			j.Decide("STATUS-011", Keeps("STATUS-004"), Keeps("STATUS-005"), Keeps("STATUS-008"))
		})
}
