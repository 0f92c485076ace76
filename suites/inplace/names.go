package inplace

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// otherNames is the spec of a runtime that calls images otherwise than pods do, as one does that completes their names or has them from a mirror.
func otherNames() {
	spec.It("counts an update as done when the container has been restarted, though the runtime calls the image by another name than the pod",
		spec.Decides("INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 2
			updated := c.Update(ctx, begin(ctx, c, nodes, HoldRestarts()), Image("v2"))
			for done := range nodes {
				c.Await(ctx, UpdatedOn(done+1, updated))
				for _, pod := range held(ctx, c, updated) {
					c.Pods.RestartAs(ctx, pod, "mirror.rollcall.dev/"+pod.Spec.Containers[0].Image)
				}
			}
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, counted(updated, nodes))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartAs)))
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})
}

// injected is the spec of pods that have more than their template, by admission.
func injected() {
	spec.It("patches pods to which admission has added a container",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.ChangePods(ctx)
			c.RollOut(ctx, begin(ctx, c, 2), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ChangePods)), AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(Exactly(1, PodPatched(OfVersion("v2")))))...)
		}, spec.SimulatedNodes{})
}
