package status

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leftAlone is from when everybody knows that the DaemonSet is being deleted.
const leftAlone history.Mark = "everybody knows that the DaemonSet is being deleted"

// stalls is where a rollout begins that cannot go on.
const stalls history.Mark = "the rollout begins"

// deleted are the specs of a DaemonSet that is being deleted.
func deleted() {
	spec.It("leaves a DaemonSet alone that is being deleted",
		spec.Decides("STATUS-015"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.HoldDaemonSet(ctx, daemonSet)
			c.DeleteDaemonSet(ctx, daemonSet, metav1.DeletePropagationBackground)
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Mark(leftAlone)
			// Each of these would be followed by an act, were the DaemonSet not being deleted.
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), 0)
			// Another pod would be there by then.
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[1]))
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[2]))
			c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(Done(history.UpdateDaemonSet), Marked(leftAlone))))
			j.Decide("STATUS-015",
				Never(After(PodCreated(), Marked(leftAlone))),
				AtMost(1, After(PodDeleted(), Marked(leftAlone))),
				Never(After(StatusWritten(), Marked(leftAlone))))
		})

	spec.It("leaves the status of a DaemonSet alone that is being deleted when the pod goes that held its rollout back",
		spec.Decides("STATUS-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			report := rollouts.ReportOf(daemonSet)
			report.Begin(ctx, c, stalls)
			updated := c.Update(ctx, daemonSet, UnpullableImage())
			c.Await(ctx, UpdatedOn(1, updated))
			report.Await(ctx, c)
			c.HoldDaemonSet(ctx, daemonSet)
			c.DeleteDaemonSet(ctx, daemonSet, metav1.DeletePropagationBackground)
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Mark(leftAlone)
			c.DeletePod(ctx, c.RequireUpdated(ctx, "an updated pod holds the rollout back", updated, NotReady), 0)
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(Done(history.DeletePod), Marked(leftAlone))))
			j.Decide("STATUS-015", Never(After(PodCreated(), Marked(leftAlone))), Never(After(StatusWritten(), Marked(leftAlone))))
		}, spec.SimulatedNodes{})

	spec.It("creates no pod of a DaemonSet that is being deleted on a node that joins",
		spec.Decides("STATUS-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.HoldDaemonSet(ctx, daemonSet)
			c.DeleteDaemonSet(ctx, daemonSet, metav1.DeletePropagationBackground)
			// By then everybody knows, and the deletion is older than the node by any time in seconds.
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Mark(leftAlone)
			c.AddNodes(ctx, 1)
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(Done(history.AddNode), Marked(leftAlone))))
			j.Decide("STATUS-015", Never(After(PodCreated(), Marked(leftAlone))), Never(After(StatusWritten(), Marked(leftAlone))))
		}, spec.SimulatedNodes{})
}
