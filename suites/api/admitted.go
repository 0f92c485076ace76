package api

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// admitted is the spec of pods that admission changes, as service meshes and policy engines do: they are not what the template says.
func admitted() {
	spec.It("makes pods with every part of the template, and counts them as updated, where admission changes what is created",
		spec.Decides("API-023", "HISTORY-024"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), everyPart())
			c.ChangePods(ctx)
			for _, edits := range [][]Edit{{Image("v2")}, {MaxSurge("1"), Image("v3")}} {
				daemonSet = c.Update(ctx, daemonSet, edits...)
				if !c.Await(ctx, RolledOut(daemonSet)) {
					return
				}
				// Whoever takes them for outdated goes on, for ever.
				c.Await(ctx, state.Any(Quiet(3*time.Second), Past(time.Now().Add(spec.AtOnce))))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, PodCreated(OfVersion("v2"))))
			j.Decide("HISTORY-024", AtMost(2, PodCreated(OfVersion("v2"))), AtMost(2, PodCreated(OfVersion("v3"))), EndsRolledOut())
		}, spec.SimulatedNodes{})
}
