package avail

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// namesakes is the spec of two DaemonSets of one name whose pods become Ready at different times.
func namesakes() {
	spec.It("acts by itself when minReadySeconds run out that began while those of a DaemonSet of its name in another namespace ran",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// As for two pods of one DaemonSet: longer than a controller may take, and so much longer that a slow machine does not have them meet.
			const apart, minReady = spec.AtOnce + time.Second, int32(spec.AtOnce/time.Second) + 5
			here := deployAvailable(ctx, c, minReady, MaxSurge("1"))
			elsewhere := c.NewDaemonSet(here.Name, Image("v3"), MaxSurge("1"))
			elsewhere.Namespace = c.Bystanders()
			elsewhere = c.Create(ctx, elsewhere)
			c.Require(ctx, "the pods in the other namespace are available", Steady(elsewhere))
			elsewhere = longAvailable(ctx, c, elsewhere, minReady)
			here, elsewhere = c.Update(ctx, here, Image("v2"), NeverReady()), c.Update(ctx, elsewhere, Image("v4"), NeverReady())
			for _, updated := range []*appsv1.DaemonSet{here, elsewhere} {
				c.Require(ctx, "an updated pod runs", UpdatedOn(1, updated, Running))
			}
			c.BecomeReadyInTurn(ctx, here, 1)
			c.Await(ctx, Past(time.Now().Add(apart)))
			c.BecomeReadyInTurn(ctx, elsewhere, 1)
			c.AwaitAfter(ctx, time.Duration(minReady)*time.Second, state.All(RolledOut(here), RolledOut(elsewhere)))
		},
		func(j *spec.Checks) {
			for _, rollout := range [][2]string{{"v1", "v2"}, {"v3", "v4"}} {
				j.Decide("AVAIL-005", Within(spec.AtOnce, PodAvailable(OfVersion(rollout[1])).BesideLivePod(), PodDeleted(OfVersion(rollout[0]))))
			}
		}, spec.SimulatedNodes{}, spec.Alone{}, spec.Bystanders{})
}
