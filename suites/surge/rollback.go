package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// back is where the template becomes the earlier one again.
const back history.Mark = "rollback"

// rollback is the spec of a surge rollout that is taken back half way.
func rollback() {
	spec.It("returns to the pods that are there when the rollout is rolled back half way",
		spec.Decides("SURGE-007", "SURGE-011", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), DrainFor(time.Second))
			updated := stall(ctx, c, daemonSet, 2)
			// One node has been updated, two surge, and the others have not been touched.
			c.BecomeReadyInTurn(ctx, updated, 1)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			gone := PodDeleted(OfVersion("v2")).Where("not available", func(m Moment) bool { return !m.WasAvailable() })
			j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)))
			// The pods of v1 are updated and available again, so those of v2 beside them are to go.
			j.Decide("SURGE-007", Within(spec.Prompt, Marked(back), First(After(gone, Marked(back)))))
			j.Decide("SURGE-011", EndsRolledOut(), Never(After(PodDeleted(OfVersion("v1")), Marked(back))), Never(After(PodCreated(OfVersion("v2")), Marked(back))))
		})
}

// restore puts the template back.
func restore(template corev1.PodTemplateSpec) func(*appsv1.DaemonSet) {
	return func(d *appsv1.DaemonSet) { d.Spec.Template = *template.DeepCopy() }
}
