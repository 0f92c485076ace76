package inplace

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// lateBy is how late the implementation hears of ControllerRevisions: long after it has patched a pod to the revision that it made, and the next update has begun.
const lateBy = 2 * time.Second

// lateSets is the spec of an implementation that does not see the revision of a pod which it patched itself, and which is to be patched again.
func lateSets() {
	spec.It("patches a pod of a StatefulSet again that it has patched to a revision which its watch does not show yet",
		spec.Decides("INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			c.DelayWatches(ctx, lateBy, "controllerrevisions")
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				patched(ctx, c, set, 1)
			}
			updateBoth(ctx, c, OfPods(Image("v3")))
			c.AwaitAfter(ctx, retries, state.StatefulSetsRolledOut())
			c.EndWatchDelay(ctx)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(len(both()), PodPatched(OfVersion("v2"))))
			j.Decide("INPLACE-031", append(stayed(begun), setsEndRolledOut())...)
		}, spec.SimulatedNodes{}, spec.Alone{Relay: true}, spec.OneCause{}, recorded())
}
