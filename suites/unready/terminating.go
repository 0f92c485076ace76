package unready

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// besideHandedOver is the spec of old pods that are lost while one that the controller deleted itself takes its time to go.
func besideHandedOver() {
	spec.It("makes updated pods at once for old ones that are lost while that of a node which was handed over is terminating",
		spec.Decides("UNREADY-001", "UNREADY-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			old := map[string]*corev1.Pod{}
			for _, pod := range c.LivePods(ctx, daemonSet) {
				old[history.NodeOf(pod)] = pod
				c.Pods.HoldTermination(ctx, pod)
			}
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 1)
			first := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			replaced := old[history.NodeOf(first)]
			c.Pods.BecomeReady(ctx, first)
			c.Require(ctx, "its old pod is on its way out", Leaving(replaced))
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated))
			nodes := rollouts.Untouched(ctx, c, updated, 2)
			c.Bind(lost, nodes...)
			unready, deleted := old[nodes[0]], old[nodes[1]]
			c.Pods.BecomeUnready(ctx, unready)
			c.DeletePod(ctx, deleted, graceful(deleted))
			c.Await(ctx, state.All(UpdatedOn(1, updated, OnNode(nodes[0])), UpdatedOn(1, updated, OnNode(nodes[1]))))
			for _, pod := range []*corev1.Pod{replaced, unready, deleted} {
				c.Pods.ReleaseTermination(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			unready, deleted := j.BoundAll(lost)[0], j.BoundAll(lost)[1]
			j.Decide("UNREADY-001", Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(unready), updatedPod(unready)))
			j.Decide("UNREADY-002", Before(After(updatedPod(deleted), Began(history.DeletePod)), First(PodGone(OfVersion("v1")).On(deleted))))
		}, spec.SimulatedNodes{})
}
