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

// owners are the specs of pods that have another owner beside the DaemonSet that controls them.
func owners() {
	atMostOne := map[string]requirements.ID{"maxSurge": "SURGE-010", "maxUnavailable": "ROLLING-013"}
	for _, strategy := range rollouts.Strategies() {
		spec.It("takes a pod for its own that has another owner before it, and rolls out to it, with "+strategy.With,
			spec.Decides(atMostOne[strategy.With], strategy.GoesOn),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 2)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				owned := c.LivePodOn(ctx, daemonSet, nodes[0])
				c.Bind("owned", owned.Name)
				c.AddOwner(ctx, owned)
				// Longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				c.RollOut(ctx, daemonSet, Image("v2"))
				c.Await(ctx, Quiet(time.Second))
			},
			func(j *spec.Checks) {
				j.Given(Exactly(1, Done(history.AddOwner)))
				j.Decide(strategy.GoesOn, AtLeast(1, PodDeleted(Named(j.Bound("owned")))), EndsRolledOut())
			}, spec.SimulatedNodes{})
	}
}
