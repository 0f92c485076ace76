package pdb

import (
	"context"
	"net/http"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refusedWrites is the spec of status writes that fail, with no event after them that would wake the controller.
func refusedWrites() {
	failures := []relay.Effect{relay.Refused{Code: http.StatusInternalServerError}, relay.Refused{Code: http.StatusConflict}}
	spec.It("writes the status again that a server error or a conflict kept it from writing",
		spec.Decides("PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			pod := c.PodsOf(ctx, workload)[0]
			for i, effect := range failures {
				c.SetFaults(ctx, relay.Fault{
					Of: relay.Selector{Verbs: []string{"update", "patch"}, Resource: "poddisruptionbudgets", Subresource: "status"}, Effect: effect,
				})
				if i%2 == 0 {
					c.Pods.BecomeUnready(ctx, pod)
				} else {
					c.Pods.BecomeReady(ctx, pod)
				}
				c.AwaitAfter(ctx, spec.Prompt, Computed(budget))
			}
		},
		func(j *spec.Checks) {
			j.Given(Exactly(2, Done(history.RefuseRequest)))
			j.Decide("PDB-026", Keeps("PDB-001"))
		}, recorded(), spec.Alone{Relay: true}, spec.OneCause{}, spec.SimulatedNodes{})
}
