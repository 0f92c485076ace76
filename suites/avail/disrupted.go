package avail

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// disrupted are the specs of pods of which somebody says that they are about to be disrupted, and that are Ready all the same: whoever was to end them may
// never come to it. The limit is used up, and they take nothing of it.
func disrupted() {
	spec.It("counts old pods as available that are Ready and said to be about to be disrupted, with maxSurge",
		spec.Decides("SURGE-002"),
		func(ctx context.Context, c *spec.Case) { disruptBeside(ctx, c, MaxSurge("1")) }, nil)

	spec.It("counts old pods as available that are Ready and said to be about to be disrupted, with maxUnavailable",
		spec.Decides("ROLLING-002"),
		func(ctx context.Context, c *spec.Case) { disruptBeside(ctx, c, MaxUnavailable("1")) }, nil)
}

// disruptBeside begins a rollout that stands still, and has old pods that it has not come to be said to be about to be disrupted.
func disruptBeside(ctx context.Context, c *spec.Case, limit Edit) {
	c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 3})
	updated := rollouts.Stall(ctx, c, c.Deploy(ctx, limit), "v2", 1)
	for _, node := range rollouts.Untouched(ctx, c, updated, 1) {
		c.Disrupt(ctx, c.LivePodOn(ctx, updated, node), time.Now())
	}
	// Longer than a controller may be late.
	c.Await(ctx, Quiet(3*time.Second))
	rollouts.Finish(ctx, c, updated)
}
