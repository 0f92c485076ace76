package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// lost are the node whose pod vanishes while no controller runs, and the one whose pod fails then.
const lost = "the nodes that lose their pods while no controller runs"

// returns is the spec of what happened at rest while no controller ran. The status tells of none of it.
func returns() {
	spec.It("replaces pods that vanished or failed while no controller ran, although the status says that every node has an available one",
		spec.Decides("SURGE-012", "TARGET-009"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			c.Bind(lost, nodes[:2]...)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			vanishes, fails := c.LivePodOn(ctx, daemonSet, nodes[0]), c.LivePodOn(ctx, daemonSet, nodes[1])
			// Longer than a status may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Kill(ctx)
			c.DeletePod(ctx, vanishes, 0)
			c.Pods.Fail(ctx, fails)
			c.Restart(ctx)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			vanished, failed := j.BoundAll(lost)[0], j.BoundAll(lost)[1]
			again := func(event Event) Matcher { return AtLeast(1, After(event, Began(history.RestartImplementation))) }
			j.Decide("SURGE-012", again(PodCreated().On(vanished)))
			j.Decide("TARGET-009", again(PodDeleted().On(failed)), again(PodCreated().On(failed)))
		}, spec.Alone{}, spec.SimulatedNodes{})
}
