package drain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// finished is the spec of pods that have ended and cannot go.
func finished() {
	spec.It("replaces pods that have failed or succeeded while a finalizer holds them back in deletion, though maxSurge is 0",
		spec.Decides("DRAIN-007"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lingering, c.AddNodes(ctx, 2)...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			old := c.LivePods(ctx, daemonSet)
			for i, end := range []func(context.Context, *corev1.Pod){c.Pods.Fail, c.Pods.Succeed} {
				c.AddFinalizer(ctx, old[i])
				end(ctx, old[i])
				// If the controller has not done so already.
				c.DeletePod(ctx, old[i], 0)
				c.Await(ctx, replaced(daemonSet, old[i]))
			}
			for _, pod := range old {
				c.RemoveFinalizer(ctx, pod)
			}
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				j.Decide("DRAIN-007", Before(After(PodCreated().On(node), First(PodDeleted().On(node))), First(PodGone().On(node))))
			}
			j.Decide("DRAIN-007", AtLeast(2, PodGone()), EndsRolledOut())
		}, spec.SimulatedNodes{})
}
