package status

import (
	"context"
	"math"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// pods are the specs of what pods do for their node in the status.
func pods() {
	spec.It("follows pods that cease to be Ready, become so again, and are available in time",
		spec.Decides("STATUS-004", "STATUS-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MinReadySeconds(2))
			awaitStatus(ctx, c, daemonSet, ready(3), available(3))
			pods := c.LivePods(ctx, daemonSet)
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[:2]...)
			awaitStatus(ctx, c, daemonSet, ready(1), available(1))
			c.Pods.BecomeReady(ctx, pods[0])
			awaitStatus(ctx, c, daemonSet, ready(2), available(2))
		}, nil)

	spec.It("counts a node with an old pod and an updated one once, and counts it as updated",
		spec.Decides("STATUS-002", "STATUS-004", "STATUS-005", "STATUS-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), MinReadySeconds(2), IgnoreSIGTERM())
			stalled := rollouts.Stall(ctx, c, daemonSet, "v2", 2)
			begun := updatedNodes(ctx, c, stalled)
			awaitStatus(ctx, c, stalled, desired(3), current(3), ready(3), available(3), updated(int32(begun)))
			// The first old pod terminates and goes on being Ready; it is the older one of its node.
			c.BecomeReadyInTurn(ctx, stalled, 1)
			c.Await(ctx, terminatingOld(stalled))
			// Its slot goes to another node, by which no other number changes.
			c.Await(ctx, UpdatedOn(begun+1, stalled))
			awaitStatus(ctx, c, stalled, desired(3), current(3), ready(3), available(3), updated(int32(begun+1)))
		}, nil)

	spec.It("follows minReadySeconds that are raised and lowered while no rollout is under way",
		spec.Decides("STATUS-005", "STATUS-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			awaitStatus(ctx, c, daemonSet, available(2))
			// Longer than any pod has been Ready, and than the scenario takes.
			awaitStatus(ctx, c, c.Update(ctx, daemonSet, MinReadySeconds(3600)), ready(2), available(0))
			// No number but that of the Ready pods changes.
			pod := c.LivePods(ctx, daemonSet)[0]
			c.Pods.BecomeUnready(ctx, pod)
			awaitStatus(ctx, c, daemonSet, ready(1), available(0))
			c.Pods.BecomeReady(ctx, pod)
			awaitStatus(ctx, c, daemonSet, ready(2), available(0))
			awaitStatus(ctx, c, c.Update(ctx, daemonSet, MinReadySeconds(0)), ready(2), available(2))
			// In milliseconds this is more than 32 bits hold.
			awaitStatus(ctx, c, c.Update(ctx, daemonSet, MinReadySeconds(math.MaxInt32/1000+1)), ready(2), available(0))
		}, nil)

	spec.It("counts a node by the replacement of a pod that terminates and is not Ready",
		spec.Decides("STATUS-004", "STATUS-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), IgnoreSIGTERM())
			old := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Pods.BecomeUnready(ctx, old)
			awaitStatus(ctx, c, daemonSet, ready(1), available(1))
			c.DeletePod(ctx, old, graceful(daemonSet))
			awaitStatus(ctx, c, daemonSet, current(2), ready(2), available(2), updated(2))
		}, nil)

	spec.It("counts no pod as ready or available that is terminating, whoever deleted it",
		spec.Decides("STATUS-009"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.HoldTermination(ctx, pod)
			}
			deleted := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.DeletePod(ctx, deleted, graceful(daemonSet))
			awaitStatus(ctx, c, daemonSet, ready(2), available(2))
			c.Pods.ReleaseTermination(ctx, deleted)
			awaitStatus(ctx, c, daemonSet, ready(3), available(3))
			rolling := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, terminatingOld(rolling))
			awaitStatus(ctx, c, rolling, ready(2), available(2))
		}, nil)
}
