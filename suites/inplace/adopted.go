package inplace

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// adopted is the spec of a pod that was patched for a DaemonSet which is gone.
func adopted() {
	spec.It("counts a pod as unavailable that was patched for a DaemonSet which is gone, until its containers have been restarted, when another DaemonSet of the name takes it over",
		spec.Decides("INPLACE-013"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 2, HoldRestarts()), Image("v2"))
			c.Require(ctx, "a pod is patched", UpdatedOn(1, updated))
			c.DeleteDaemonSet(ctx, updated, metav1.DeletePropagationOrphan)
			c.Require(ctx, "the deleted DaemonSet is gone", state.When("it is gone", func(cluster *history.Cluster) bool { return cluster.DaemonSets[updated.UID] == nil }))
			// By then everybody knows that the pods are nobody's, and the patch is older than the DaemonSet that comes by any time in seconds.
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Mark(last)
			again := c.Create(ctx, c.NewDaemonSet(updated.Name, c.InPlaceIfPossible(), MaxUnavailable("1"), HoldRestarts(), Image("v2")))
			c.Await(ctx, Processed(again))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, again)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(last)))
			j.Decide("INPLACE-013", append(stayed(begun), EndsRolledOut(), AtLeast(1, PodPatched()), NeverBetween(Marked(last), Marked(next), PodPatched()))...)
		}, spec.SimulatedNodes{})
}
