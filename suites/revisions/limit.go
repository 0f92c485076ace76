package revisions

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limit are the specs of the histories beyond revisionHistoryLimit.
func limit() {
	spec.It("keeps the histories of several old templates that pods still run or end with, beyond the limit",
		spec.Decides("HISTORY-017", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			// Pods take a second to end, in which they still carry the label of their history.
			daemonSet := c.Deploy(ctx, OnDelete(), keeping(0), DrainFor(time.Second))
			for i, version := range []string{"v2", "v3"} {
				updated := c.Update(ctx, daemonSet, Image(version))
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[i]), time.Minute)
				c.Require(ctx, "the deleted pod is replaced by an updated one", UpdatedOn(1, updated, history.IsReady, OnNode(nodes[i])))
			}
			// No pod is of the next template once there is another: its history is the one that may go.
			c.Require(ctx, "the controller has seen the template", Processed(c.Update(ctx, daemonSet, Image("v4"))))
			c.Await(ctx, histories(4))
			c.Require(ctx, "the controller has seen the template", Processed(c.Update(ctx, daemonSet, Image("v5"))))
			c.Await(ctx, histories(4))
			// A rollback to the oldest: the histories of the others are done with one after the other.
			c.RollOut(ctx, daemonSet, Image("v1"), MaxUnavailable("1"))
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-017", Tested(AtLeast(1, PodDeleted(OfVersion("v2")))), Tested(AtLeast(1, PodDeleted(OfVersion("v3")))))
		})
}

// keeping sets revisionHistoryLimit.
func keeping(limit int32) Edit {
	return Edit{Says: fmt.Sprintf("revisionHistoryLimit %d", limit), Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit }}
}

// histories holds while there are that many. A scenario that does not come to it goes on: whether it must is not what it is about.
func histories(count int) state.Condition {
	return state.When(fmt.Sprintf("there are %d histories", count), func(cluster *history.Cluster) bool { return len(cluster.Revisions) == count })
}
