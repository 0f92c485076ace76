package kubelet

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// broken are the specs of updated pods that never come to work.
func broken() {
	spec.It("keeps the old pod beside an updated one whose container crashes over and over, and makes no other",
		spec.Decides("KUBELET-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), CrashLooping())
			// The kubelet starts a container again at once, then after 10 s.
			c.RequireUpdated(ctx, "a container was started three times", updated, func(pod *corev1.Pod) bool {
				return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool { return status.RestartCount >= 2 })
			})
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, PodRestarted(OfVersion("v2"))), Never(PodAvailable(OfVersion("v2"))))
			j.Decide("KUBELET-003", AtMost(1, PodCreated(OfVersion("v2"))), Never(PodDeleted()), Keeps("SURGE-002"))
		}, spec.RealNodes{})

	spec.It("keeps every old pod while the updated image cannot be pulled, and rolls out one that can",
		spec.Decides("KUBELET-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			missing := c.Update(ctx, daemonSet, UnpullableImage())
			c.RequireUpdated(ctx, "a container waits for its image", missing, func(pod *corev1.Pod) bool {
				return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
					waiting := status.State.Waiting
					return waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing"
				})
			})
			c.Await(ctx, Quiet(2*time.Second))
			c.RollOut(ctx, missing, Image("v2"))
		},
		func(j *spec.Checks) {
			update := Began(history.UpdateDaemonSet)
			j.Decide("KUBELET-004",
				NeverBetween(Nth(1, update), Nth(2, update), PodDeleted()),
				UpTo(1, PodCreated(OfVersion("missing"))),
				OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				EndsRolledOut())
		}, spec.RealNodes{})
}
