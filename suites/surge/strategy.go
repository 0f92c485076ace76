package surge

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in scenarios of the OnDelete strategy.
const (
	onDelete history.Mark = "the strategy is OnDelete"
	rolling  history.Mark = "the strategy is RollingUpdate again"
)

// strategy are the specs of the OnDelete strategy beside maxSurge.
func strategy() {
	spec.It("does not surge with the OnDelete strategy",
		spec.Decides("SURGE-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), onDeleteBesideBlock())
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, TemplateChanged()))
			j.Decide("SURGE-015", Never(PodCreated(OfVersion("v2"))), Never(PodDeleted()))
		})

	spec.It("stops surging when the strategy becomes OnDelete during the rollout, and goes on when it is RollingUpdate again",
		spec.Decides("SURGE-015", "ROLLING-017"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			waiting := c.Update(ctx, daemonSet, onDeleteBesideBlock())
			c.Require(ctx, "the controller has seen the strategy", Processed(waiting))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(onDelete)
			// With maxSurge it would be the next node's turn, if the updated pod is still there.
			if len(c.LivePods(ctx, waiting)) > len(nodes) {
				c.BecomeReadyInTurn(ctx, waiting, 1)
			}
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(rolling)
			rollouts.Finish(ctx, c, c.Update(ctx, waiting, MaxSurge("1")))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-015", NeverBetween(Marked(onDelete), Marked(rolling), PodCreated(OfVersion("v2"))))
			j.Decide("ROLLING-017", EndsRolledOut())
		})

	spec.It("replaces a deleted pod only once it has ended with the OnDelete strategy, whatever maxSurge says",
		spec.Decides("SURGE-015", "DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), IgnoreSIGTERM())
			waiting := c.Update(ctx, daemonSet, onDeleteBesideBlock())
			c.Require(ctx, "the controller has seen the strategy", Processed(waiting))
			c.Await(ctx, Quiet(2*time.Second))
			deleted := c.LivePods(ctx, waiting)[0]
			c.DeletePod(ctx, deleted, time.Minute)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.ReleaseTermination(ctx, deleted)
			c.Await(ctx, RolledOut(waiting))
		},
		func(j *spec.Checks) {
			again := After(PodCreated(), Began(history.DeletePod))
			j.Decide("SURGE-015", Never(again.Where("beside a pod that has not ended", besideUnended)))
			j.Decide("DRAIN-003", AtLeast(1, again))
		})
}

func onDeleteBesideBlock() Edit {
	return Edit{Says: "strategy OnDelete, the block left in place", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	}}
}

// besideUnended: a pod that has ended stands in nobody's way while its object is still there (DRAIN-007).
func besideUnended(m Moment) bool {
	return slices.ContainsFunc(m.PodsBeside(), func(pod *corev1.Pod) bool { return !history.IsTerminal(pod) })
}
