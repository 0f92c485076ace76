package ondelete

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unscheduled is the spec of an old pod for which its node has no room.
func unscheduled() {
	spec.It("touches no pod when the template changes while one of them waits for room on its node",
		spec.Decides("ONDELETE-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := len(c.AddNodes(ctx, 1)) + len(c.AddNodes(ctx, 1, rollouts.Full))
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", OnDelete()))
			c.Require(ctx, "every node has its pod", PodsSeen(daemonSet, nodes))
			c.Await(ctx, atRest())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Processed(updated))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(byHand)
		},
		func(j *spec.Checks) {
			for _, touched := range []Event{PodCreated(), PodDeleted(), rollouts.PodChanged()} {
				j.Decide("ONDELETE-001", NeverBetween(TemplateChanged(), Marked(byHand), touched))
			}
		}, spec.SimulatedNodes{})
}
