package rollover

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// slow is the spec of an old pod that takes longer to end than the template lasts for which it has to go.
func slow() {
	spec.It("makes a pod of the newest template where an old pod was on its way out for another template",
		spec.Decides("ROLLOVER-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			old := c.LivePods(ctx, daemonSet)
			for _, pod := range old {
				c.Pods.HoldTermination(ctx, pod)
			}
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "an old pod is on its way out", state.When("a pod is terminating", func(cluster *history.Cluster) bool {
				for _, pod := range old {
					if now := cluster.Pods[pod.UID]; now != nil && now.DeletionTimestamp != nil {
						return true
					}
				}
				return false
			}))
			c.Mark(third)
			newest := c.Update(ctx, updated, Image("v3"))
			c.Await(ctx, Processed(newest))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(newest))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodDeleted(OfVersion("v1"))), Marked(third)))
			j.Decide("ROLLOVER-001", EndsRolledOut(), Never(PodCreated(OfVersion("v2"))))
		}, spec.SimulatedNodes{})
}
