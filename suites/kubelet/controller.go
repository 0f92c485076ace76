package kubelet

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// cut is how long the implementation hears nothing after there is something to hear.
const cut = 5 * time.Second

// controller are the specs of what may happen to an implementation in the cluster: kubelets start it again, and networks fail it.
func controller() {
	spec.It("carries a surge rollout on when its own container is killed, and when its own pod is deleted",
		spec.Decides("KUBELET-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), ReadyAfter(2*time.Second))
			c.Require(ctx, "the first updated pod has been created", UpdatedOn(1, updated))
			c.Crash(ctx)
			c.Require(ctx, "the second updated pod has been created", UpdatedOn(2, updated))
			c.DeleteImplementationPod(ctx)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("KUBELET-010",
				Before(StimulusIs("delete the implementation's pod"), Last(PodDeleted(OfVersion("v1")))),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))),
				Keeps(rollout.SurgeBound()), Keeps(rollout.SurgeTwoPods()), Keeps(rollout.SurgeLastAvailable()),
				expect.RolledOut())
		}, spec.Alone{}, spec.RealNodes{})

	spec.It("carries a surge rollout on after it was cut off from the API server in the middle of it",
		spec.Decides("KUBELET-011"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			pod := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady)
			c.CutOff(ctx)
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, Past(time.Now().Add(cut)))
			if len(c.LivePods(ctx, daemonSet)) != 3 {
				c.CannotDecide("the implementation acted although it was cut off: the cut did not hold")
			}
			c.Reconnect(ctx)
			// Nothing else changes meanwhile: packets that were dropped are sent again seconds later, and what they say cannot be known before.
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("KUBELET-011",
				Before(StimulusIs("reconnect implementation"), First(PodDeleted())),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))),
				Keeps(rollout.SurgeBound()), Keeps(rollout.SurgeTwoPods()), Keeps(rollout.SurgeLastAvailable()),
				expect.RolledOut())
		}, spec.Alone{}, spec.RealNodes{})
}
