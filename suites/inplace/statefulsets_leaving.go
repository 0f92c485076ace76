package inplace

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leavingSets is the spec of an update that comes while a pod of somebody else takes its time to terminate.
func leavingSets() {
	spec.It("patches the pods of a StatefulSet while a pod of another one is terminating",
		spec.Decides("INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Require(ctx, "all pods are there", state.StatefulSetsRolledOut())
			leaves := memberOf(ctx, c, ordered, 1)
			c.Pods.HoldTermination(ctx, leaves)
			c.DeletePod(ctx, leaves, time.Minute)
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(begun)
			c.UpdateStatefulSet(ctx, parallel, OfPods(Image("v2")))
			for _, ordinal := range []int{1, 0} {
				c.Await(ctx, MemberIs(parallel, ordinal, "is patched", OfTag("v2")))
			}
			c.Pods.ReleaseTermination(ctx, leaves)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			for ordinal := range 2 {
				j.Decide("INPLACE-031", Exactly(1, PodPatched(member(parallel, ordinal), OfVersion("v2"))), Never(PodDeleted(member(parallel, ordinal))))
			}
			j.Decide("INPLACE-031", setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}
