package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// untold is longer than a scenario takes: what is held back for so long never arrives once the watch is broken.
const untold = time.Hour

// unobserved is the spec of a pod whose life no watch shows: the implementation's list after the watch broke has it no more.
func unobserved() {
	spec.It("gives a node another pod when its first one came and went without a watch to show it",
		spec.Decides("RECOVERY-013"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx)
			c.DelayWatches(ctx, untold, "pods")
			node := c.AddNodes(ctx, 1)[0]
			c.Bind("node", node)
			pod := c.RequireUpdated(ctx, "the new node gets a pod", daemonSet, OnNode(node))
			c.DeletePod(ctx, pod, 0)
			c.Require(ctx, "the pod is gone", rollouts.NoPodOn(daemonSet, node))
			c.BreakWatches(ctx)
			c.EndWatchDelay(ctx)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			node, broken := j.Bound("node"), Began(history.BreakWatches)
			created := PodCreated().On(node)
			j.Given(Exactly(1, Done(history.BreakWatches)), Exactly(1, Done(history.EndWatchDelay)))
			// One that does not trust its watch may be quicker than that breaks.
			j.Decide("RECOVERY-013",
				OneOf(Before(After(created, PodGone().On(node)), broken), Within(2*spec.Prompt, broken, created)), EndsRolledOut())
		}, spec.Alone{Relay: true}, spec.OneCause{})
}
