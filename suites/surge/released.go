package surge

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// kept is when the controller has had time to act on a pod that is not its any more.
const kept history.Mark = "the released pod has been Ready for some time"

// released is the spec of a surge pod that somebody takes out of the DaemonSet's selector.
func released() {
	const quarantined, node = "the released pod", "its node"
	spec.It("keeps the old pod beside a surge pod that is not Ready, though a released one of the same revision is Ready on the node",
		spec.Decides("SURGE-006", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(node, c.AddNodes(ctx, 1)...)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			pod := c.RequireUpdated(ctx, "there is a surge pod", updated, Running)
			c.Bind(quarantined, pod.Name)
			c.LabelPod(ctx, pod, map[string]string{"app": "quarantined"})
			c.RequireUpdated(ctx, "there is another surge pod", updated, Running, NotReady)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.BecomeReady(ctx, pod)
			// The pod is nobody's, and need not wake anybody.
			c.RequireReconciled(ctx, updated)
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(kept)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			ready := PodReady(Named(j.Bound(quarantined)))
			j.Given(Before(After(PodCreated(OfVersion("v2")), Done(history.LabelPod)).On(j.Bound(node)), ready), Before(ready, Marked(kept)))
			for _, id := range []requirements.ID{"SURGE-006", "SURGE-016"} {
				j.Decide(id, NeverBetween(ready, Marked(kept), PodDeleted(OfVersion("v1"))), EndsRolledOut())
			}
		}, spec.SimulatedNodes{})
}
