package avail

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// undated are the specs of a pod that is Ready since no known time, in rollouts that are not the plain one.
func undated() {
	spec.It("counts a node against maxUnavailable while the Ready condition of its pod has no transition time",
		spec.Decides("AVAIL-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := c.Update(ctx, deployLongAvailable(ctx, c, MaxUnavailable("1")), Image("v2"))
			c.Pods.SetReadySince(ctx, c.RequireUpdated(ctx, "an updated pod is Ready", updated, history.IsReady), time.Time{})
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(watched)
			c.Await(ctx, RolledOut(c.Update(ctx, updated, MinReadySeconds(0))))
		},
		func(j *spec.Checks) {
			second := Nth(2, PodDeleted(OfVersion("v1")))
			j.Decide("AVAIL-006", NeverBetween(TemplateChanged(), Marked(watched), second), Tested(AtLeast(1, second)))
		}, spec.SimulatedNodes{})

	spec.It("does not count a pod whose Ready condition has no transition time in a rollout that overtakes another, in a roll-back, and after a restart",
		spec.Decides("AVAIL-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("1"))
			overtaken := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Await(ctx, UpdatedOn(1, overtaken))
			// The second is a roll-back.
			for _, edits := range [][]Edit{{Image("v3"), Healthy()}, {Image("v1")}} {
				updated := c.Update(ctx, daemonSet, edits...)
				pod := readyPodOn(ctx, c, updated, nodes[0])
				c.Pods.SetReadySince(ctx, pod, time.Time{})
				c.Restart(ctx)
				// The pod is looked at again.
				c.LabelPod(ctx, pod, map[string]string{"note": "x"})
				c.Await(ctx, Quiet(2*time.Second))
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
				c.Await(ctx, RolledOut(updated))
			}
		}, nil, spec.SimulatedNodes{}, spec.Alone{})
}
