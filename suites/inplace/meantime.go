package inplace

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meantime are the specs of what somebody changes of pods, or of their template, while their containers have yet to be restarted.
func meantime() {
	spec.It("counts an update as done when the container has been restarted, though somebody has changed more of the pod in between, which its kubelet has seen, too",
		spec.Decides("INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 2
			updated := c.Update(ctx, begin(ctx, c, nodes, HoldRestarts()), Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			for _, pod := range held(ctx, c, updated) {
				c.AddToleration(ctx, pod)
			}
			releaseAll(ctx, c, updated)
			c.Await(ctx, counted(updated, nodes))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.AddToleration)))
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})

	spec.It("waits for the restart of one container alone where the update of another one of the pod is taken back before the kubelet came to it",
		spec.Decides("INPLACE-030"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 2
			daemonSet := begin(ctx, c, nodes, Sidecar(), HoldRestarts())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			back := c.Update(ctx, updated, Image("v1"), SidecarImage("v2"))
			for done := range nodes {
				c.Await(ctx, UpdatedOn(done+1, back))
				for _, pod := range held(ctx, c, back) {
					if pod.Status.ObservedGeneration == 0 {
						c.CannotDecide("kubelets do not say here which change of a pod they have seen")
					}
				}
				restartSidecar(ctx, c, back)
			}
			c.Await(ctx, RolledOut(back))
			c.Await(ctx, counted(back, nodes))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartContainer)), AtLeast(2, PodPatched()))
			j.Decide("INPLACE-030", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})
}
