package rollouts

import (
	"context"
	"fmt"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limitNodes is how many nodes EveryLimit has: of five, two percentages next to each other often allow different numbers.
const limitNodes = 5

// limits are numbers and percentages of limitNodes, each from another than the one before, at and beside the edges at which a percentage allows one more.
func limits() []string { return []string{"20%", "4", "21%", "1", "60%", "2", "61%", "100%", "1%", "7"} }

// EveryLimit rolls a DaemonSet out once with each of many limits of five nodes, that of makes an edit of. The limit changes in the same update as the template.
func EveryLimit(ctx context.Context, c *spec.Case, of func(limit string) Edit) {
	all := limits()
	c.AddNodes(ctx, limitNodes)
	daemonSet := c.Deploy(ctx, of(all[len(all)-1]))
	for i, limit := range all {
		daemonSet = c.Update(ctx, daemonSet, of(limit), Image(fmt.Sprintf("v%d", 2+i)))
		c.Require(ctx, "the rollout with the limit "+limit+" ends", RolledOut(daemonSet))
	}
}
