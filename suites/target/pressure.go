package target

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// pressure is the spec of a pod that its kubelet evicts for a reason that lasts.
func pressure() {
	spec.It("makes another pod in the place of one that was evicted, while the disk of its node is full",
		spec.Decides("TARGET-009"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			rollouts.FillDisk(ctx, c, node)
			evicted := c.LivePodOn(ctx, daemonSet, node)
			c.Bind(failed, evicted.Name)
			c.Bind(down, node)
			rollouts.EvictByKubelet(ctx, c, evicted)
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(node), func(pod *corev1.Pod) bool { return pod.UID != evicted.UID }))
		},
		func(j *spec.Checks) {
			name, fails := j.Bound(failed), PodFailed(Named(j.Bound(failed)))
			j.Given(AtLeast(1, fails))
			j.Decide("TARGET-009", AtLeast(1, PodDeleted(Named(name))), AtLeast(1, After(PodCreated().On(j.Bound(down)), fails)))
		}, spec.SimulatedNodes{})
}
