package rollback

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meanwhile are the specs of rollbacks that come with something else.
func meanwhile() {
	spec.It("finds the history that a rollback goes back to although the same write lowers revisionHistoryLimit to 0",
		spec.Decides("ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			before := bindFirst(ctx, c, daemonSet)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "no pod is left of the first template", Steady(updated))
			number := bindLargest(ctx, c, daemonSet)
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before, and revisionHistoryLimit 0", Apply: func(d *appsv1.DaemonSet) {
				restore(daemonSet.Spec.Template)(d)
				d.Spec.RevisionHistoryLimit = new(int32)
			}})
			c.Await(ctx, renumbered(before, number))
			c.Await(ctx, Quiet(time.Second))
		}, reused)

	spec.It("keeps the available pods of the first template when surge pods are rolled back that are Ready, but not yet available",
		spec.Decides("ROLLBACK-002", "ROLLBACK-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*time.Hour))
			}
			updated := c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(3600))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, Running))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodReady(OfVersion("v2"))), Marked(back)), NeverBetween(TemplateChanged(), Marked(back), PodDeleted(OfVersion("v1"))))
			j.Decide("ROLLBACK-002", untouched())
			j.Decide("ROLLBACK-003", untouched(), noMore(), EndsRolledOut())
		}, spec.SimulatedNodes{})
}
