package target

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leavingRefused are the specs of nodes that leave while the API server refuses their updated pods.
func leavingRefused() {
	for _, leaves := range []struct {
		how     string
		decides requirements.ID
		act     history.Act
		leave   func(context.Context, *spec.Case, string)
	}{
		{"leave the selector", "TARGET-005", history.LabelNode, func(ctx context.Context, c *spec.Case, node string) { rollouts.LeavePool(ctx, c, node) }},
		{"are deleted", "TARGET-006", history.DeleteNode, rollouts.Remove},
	} {
		spec.It("lets the node that stays surge when the others "+leaves.how+" whose surge pods were refused",
			spec.Decides(leaves.decides),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 5, rollouts.InPool)
				daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
				// Which one a controller begins with is its own affair: it is one of the others, unless it begins with this one.
				last := len(nodes) - 1
				c.Bind(staying, nodes[last])
				c.RefusePodsOf(ctx, nodes...)
				updated := c.Update(ctx, daemonSet, Image("v2"))
				// By then everybody has tried, and nobody has begun to pause for long.
				c.Await(ctx, Past(time.Now().Add(late)))
				for _, node := range nodes[:last] {
					leaves.leave(ctx, c, node)
				}
				c.AdmitPods(ctx)
				c.AwaitAfter(ctx, pausesAtMost, RolledOut(updated))
			},
			func(j *spec.Checks) {
				j.Given(AtLeast(1, Done(history.RefusePods)), AtLeast(1, Done(leaves.act)))
				goesOn(leaves.decides, leaves.act)(j)
			}, spec.SimulatedNodes{})
	}
}

// pausesAtMost is how long a controller may pause after refusals.
const pausesAtMost = 30 * time.Second
