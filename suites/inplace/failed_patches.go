package inplace

import (
	"context"
	"net/http"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// failure is one way in which a request fails, with the tag of the image that a pod is to get meanwhile.
type failure struct {
	tag    string
	effect relay.Effect
}

// failures are what an API server does when a pod is to be patched against which it has nothing.
func failures() []failure {
	return []failure{{"v2", relay.Refused{Code: http.StatusInternalServerError}}, {"v3", relay.LostAnswer{}}}
}

// ofPatch makes it what becomes of the next change of a pod.
func (f failure) ofPatch() relay.Fault {
	return relay.Fault{Of: relay.Selector{Verbs: []string{"patch", "update", relay.Apply}, Resource: "pods"}, Effect: f.effect}
}

// failedPatches are the specs of an API server that fails when a pod is to be patched.
func failedPatches() {
	spec.It("patches a pod again when the API server failed, and recreates none for that, nor when the answer is lost",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2)
			for _, each := range failures() {
				c.SetFaults(ctx, each.ofPatch())
				daemonSet = c.Update(ctx, daemonSet, Image(each.tag))
				c.AwaitAfter(ctx, retries, RolledOut(daemonSet))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseRequest)), AtLeast(1, Done(history.LoseAnswer)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut())...)
		}, spec.SimulatedNodes{}, spec.Alone{Relay: true}, spec.OneCause{})

	spec.It("patches a pod of a StatefulSet again when the API server failed, and recreates none for that, nor when the answer is lost",
		spec.Decides("INPLACE-018", "INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			for _, each := range failures() {
				for _, set := range both() {
					c.SetFaults(ctx, each.ofPatch())
					c.UpdateStatefulSet(ctx, set, OfPods(Image(each.tag)))
					c.AwaitAfter(ctx, retries, state.StatefulSetsRolledOut())
				}
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.RefuseRequest)), AtLeast(2, Done(history.LoseAnswer)))
			j.Decide("INPLACE-018", setsEndRolledOut())
			j.Decide("INPLACE-031", stayed(begun)...)
		}, spec.SimulatedNodes{}, spec.Alone{Relay: true}, spec.OneCause{}, recorded())
}
