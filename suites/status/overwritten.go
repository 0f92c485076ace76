package status

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// overwritten is the spec of a status that somebody else has written. A pod's change has the controller look, whatever it watches of the DaemonSet's status, and
// changes none of its numbers.
func overwritten() {
	spec.It("puts numbers right that somebody else has written",
		spec.Decides("STATUS-001", "STATUS-002", "STATUS-004", "STATUS-005", "STATUS-008"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			right := []number{desired(3), current(3), misscheduled(0), ready(3), available(3), updated(3)}
			awaitStatus(ctx, c, daemonSet, right...)
			c.Require(ctx, "the controller has come to rest", Quiet(time.Second))
			var atRest string
			c.Look(ctx, func(cluster *history.Cluster) { atRest = cluster.DaemonSets[daemonSet.UID].ResourceVersion })
			_, err := c.TryUpdateStatus(ctx, daemonSet, Edit{Says: "other numbers", Apply: func(d *appsv1.DaemonSet) {
				d.Status.DesiredNumberScheduled, d.Status.CurrentNumberScheduled, d.Status.NumberMisscheduled = 5, 4, 1
				d.Status.NumberReady, d.Status.NumberAvailable, d.Status.UpdatedNumberScheduled, d.Status.NumberUnavailable = 2, 2, 2, 3
			}})
			if err != nil {
				c.CannotDecide("harness: write the status: " + err.Error())
			}
			c.Require(ctx, "the write is known", state.When("the DaemonSet is not as it was at rest", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[daemonSet.UID]
				return now != nil && now.ResourceVersion != atRest
			}))
			c.Pods.SetReadySince(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), time.Now().Add(-time.Hour))
			awaitStatus(ctx, c, daemonSet, right...)
		}, nil, spec.Alone{}, spec.SimulatedNodes{})
}
