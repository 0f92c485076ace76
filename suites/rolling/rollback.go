package rolling

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// back is where the template becomes the earlier one again.
const back history.Mark = "rollback"

// rollback is the spec of a rollout that is taken back half way.
func rollback() {
	spec.It("replaces the pods of the abandoned revision, and no others, when the rollout is rolled back half way",
		spec.Decides("ROLLING-001", "ROLLING-002", "ROLLING-013"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"), DrainFor(time.Second))
			updated := stall(ctx, c, daemonSet, "v2", 2)
			// One node has an available pod of v2, others one that is not available, the rest one of v1.
			c.BecomeReadyInTurn(ctx, updated, 1)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated), PodsPerNode(updated, 1))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Template = *daemonSet.Spec.Template.DeepCopy()
			}})
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)))
			j.Decide("ROLLING-001", EndsRolledOut(),
				Never(After(PodDeleted(OfVersion("v1")), Marked(back))), Never(After(PodCreated(OfVersion("v2")), Marked(back))))
		})
}
