package inplace

import (
	"context"
	"net/http"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// failedPatches is the spec of an API server that fails when a pod is to be patched, and has nothing against it.
func failedPatches() {
	spec.It("patches a pod again when the API server failed, and recreates none for that, nor when the answer is lost",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2)
			for _, one := range []struct {
				image  string
				effect relay.Effect
			}{{"v2", relay.Refused{Code: http.StatusInternalServerError}}, {"v3", relay.LostAnswer{}}} {
				c.SetFaults(ctx, relay.Fault{Of: relay.Selector{Verbs: []string{"patch", "update", relay.Apply}, Resource: "pods"}, Effect: one.effect})
				daemonSet = c.Update(ctx, daemonSet, Image(one.image))
				c.AwaitAfter(ctx, retries, RolledOut(daemonSet))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseRequest)), AtLeast(1, Done(history.LoseAnswer)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut())...)
		}, spec.SimulatedNodes{}, spec.Alone{Relay: true}, spec.Faults{})
}
