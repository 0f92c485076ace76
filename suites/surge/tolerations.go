package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// tolerations is the spec of templates that tolerate other nodes than the one before.
func tolerations() {
	spec.It("creates a pod at once on a node that only the new template tolerates, and keeps it as long as it is needed when the next template does not tolerate the node",
		spec.Decides("SURGE-012", "SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			open := c.AddNodes(ctx, 2)
			closed := c.AddNodes(ctx, 1, rollouts.Taint)[0]
			c.Bind("closed", closed)
			gained := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady(), tolerating(corev1.Toleration{Operator: corev1.TolerationOpExists}))
			c.Await(ctx, UpdatedOn(1, gained, OnNode(closed)))
			rollouts.Finish(ctx, c, gained)
			// Of the three nodes one has no available pod, so no more are available than the two that are eligible then.
			rollouts.LoseReadiness(ctx, c, gained, open[0])
			lost := c.Update(ctx, gained, Image("v3"), tolerating())
			rollouts.Settle(ctx, c, lost, UpdatedOn(2, lost))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			// The rule bounds the time.
			j.Decide("SURGE-012", AtLeast(1, PodCreated(OfVersion("v2")).On(closed)))
			j.Decide("SURGE-017", Never(PodCreated(OfVersion("v3")).On(closed)), Never(neededDeleted("v2").On(closed)))
		}, spec.SimulatedNodes{})
}

func tolerating(tolerations ...corev1.Toleration) Edit {
	return Edit{Says: "other tolerations", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Tolerations = tolerations }}
}
