package kubelet

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
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
			// Who does not go on breaks the promise.
			if !c.Await(ctx, UpdatedOn(2, updated)) {
				return
			}
			c.DeleteImplementationPod(ctx)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("KUBELET-010",
				// The last node is not done yet. Who does not go on to it breaks what follows.
				Tested(NeverBetween(Began(history.UpdateDaemonSet), Began(history.DeleteImplementationPod), Nth(3, PodDeleted(OfVersion("v1"))))),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))),
				Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("SURGE-016"),
				EndsRolledOut())
		}, spec.Alone{}, spec.RealNodes{})

	spec.It("carries a surge rollout on after it was cut off from the API server in the middle of it",
		spec.Decides("KUBELET-011"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady())
			pod := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady)
			c.CutOff(ctx)
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, Past(time.Now().Add(cut)))
			c.Reconnect(ctx)
			// Nothing else changes meanwhile: packets that were dropped are sent again seconds later, and what they say cannot be known before.
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			// What the implementation does while it is cut off shows that it is not.
			cut, over := Done(history.CutOffImplementation), Began(history.ReconnectImplementation)
			j.Given(NeverBetween(cut, over, PodDeleted()), NeverBetween(cut, over, PodCreated()))
			j.Decide("KUBELET-011",
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))),
				Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("SURGE-016"),
				EndsRolledOut())
		}, spec.Alone{}, spec.RealNodes{})
}
