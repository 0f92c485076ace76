package surge

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unavailability are the specs of a maxUnavailable that is zero in another way, or only since the rollout began.
func unavailability() {
	spec.It("takes no available pod down beyond maxSurge where maxUnavailable is 0%",
		spec.Decides("SURGE-008", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1"), Edit{Says: "maxUnavailable 0%", Apply: func(d *appsv1.DaemonSet) {
				none := intstr.FromString("0%")
				d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &none
			}}), 1)
			rollouts.Finish(ctx, c, updated)
		}, nil)

	spec.It("takes no available pod down any more once maxSurge takes the place of maxUnavailable during the rollout",
		spec.Decides("SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			surging := c.Update(ctx, stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), 1), MaxSurge("1"))
			c.Await(ctx, Processed(surging))
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			rollouts.Finish(ctx, c, surging)
		}, nil)
}
