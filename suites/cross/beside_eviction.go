package cross

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	stalls "github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// handedOver is the node that is to be handed over.
const handedOver = "the node whose updated pod becomes Ready"

// besideAnEviction is the spec of a node that is handed over while an evicted pod is on its way out on another.
func besideAnEviction() {
	spec.It("deletes an old pod whose successor is available while another pod is being evicted",
		spec.Decides("CROSS-003", "SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			guarded(ctx, c, daemonSet, 2)
			old := map[string]*corev1.Pod{}
			for _, pod := range c.LivePods(ctx, daemonSet) {
				old[history.NodeOf(pod)] = pod
			}
			updated := stalls.Stall(ctx, c, daemonSet, "v2", 1)
			ready := c.RequireUpdated(ctx, "an updated pod runs beside an old one", updated, Running)
			node := history.NodeOf(ready)
			c.Bind(handedOver, node)
			evicted := old[stalls.Untouched(ctx, c, updated, 1)[0]]
			c.Pods.HoldTermination(ctx, evicted)
			evict(ctx, c, evicted)
			c.Require(ctx, "it is being evicted", Leaving(evicted))
			c.Await(ctx, UpdatedOn(1, updated, OnNode(history.NodeOf(evicted))))
			c.Pods.BecomeReady(ctx, ready)
			c.Await(ctx, Leaving(old[node]))
			c.Pods.ReleaseTermination(ctx, evicted)
			stalls.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			node := j.Bound(handedOver)
			deleted := Within(spec.AtOnce, PodAvailable(OfVersion("v2")).On(node), PodDeleted(OfVersion("v1")).On(node))
			for _, id := range []requirements.ID{"CROSS-003", "SURGE-007"} {
				j.Decide(id, Before(PodDeleted(OfVersion("v1")).On(node), Began(history.ReleaseTermination)), deleted, EndsRolledOut())
			}
		}, recorded(), spec.SimulatedNodes{})
}
