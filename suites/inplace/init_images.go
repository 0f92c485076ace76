package inplace

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// initImages is the spec of an init container that gets another image in rollouts that are not the plain one.
func initImages() {
	spec.It("recreates pods whose init container gets another image when that overtakes an update, after a restart, and in a roll-back",
		spec.Decides(initImage),
		func(ctx context.Context, c *spec.Case) {
			// 40% of 3 nodes is 2.
			first := begin(ctx, c, 3, InitContainer(), MaxUnavailable("40%"), MinReadySeconds(1))
			c.Cordon(ctx, history.NodeOf(c.LivePods(ctx, first)[0]))
			patched := c.Update(ctx, first, Image("v2"))
			c.Await(ctx, UpdatedOn(1, patched))
			c.Kill(ctx)
			recreated := c.Update(ctx, patched, InitImage("v2"))
			c.Restart(ctx)
			if c.Await(ctx, RolledOut(recreated)) {
				c.RollOut(ctx, recreated, InitImage("v1"))
			}
		},
		func(j *spec.Checks) {
			j.Decide(initImage, EndsRolledOut(), OnEveryNode(AtLeast(2, After(PodCreated(), Marked(begun)))))
		}, spec.SimulatedNodes{}, spec.Alone{})
}
