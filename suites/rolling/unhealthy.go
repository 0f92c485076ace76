package rolling

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unhealthy are the specs of old pods that are not available when the rollout comes to them.
func unhealthy() {
	spec.It("replaces the unhealthy old pods first",
		spec.Decides("ROLLING-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			sick(ctx, c, daemonSet, nodes[2])
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Decide("ROLLING-006",
				Before(PodDeleted(OfVersion("v1")).On(nodes[2]), First(PodDeleted(OfVersion("v1")).Where("available", wasAvailable))),
				Exactly(3, PodDeleted(OfVersion("v1")).Where("available", wasAvailable)))
		})

	spec.It("takes no healthy old pod down while unhealthy ones use the budget up",
		spec.Decides("ROLLING-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			sick(ctx, c, daemonSet, nodes[0])
			stall(ctx, c, daemonSet, "v2", 2)
			c.Decide("ROLLING-007", Exactly(1, PodDeleted(OfVersion("v1")).Where("available", wasAvailable)))
		})

	spec.It("keeps the healthy old pods up, however many others are not",
		spec.Decides("ROLLING-008"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			sick(ctx, c, daemonSet, nodes[0], nodes[1], nodes[2])
			stall(ctx, c, daemonSet, "v2", 1)
			unhealthy := PodDeleted(OfVersion("v1")).Where("unavailable", func(o Occurrence) bool { return !o.WasAvailable() })
			c.Decide("ROLLING-008", Never(PodDeleted(OfVersion("v1")).Where("available", wasAvailable)), AtLeast(1, unhealthy))
			c.Observe(func(h *history.History) string {
				return fmt.Sprintf("with maxUnavailable 1, %d of 3 unhealthy old pods were deleted while no replacement was available", unhealthy.Count(h))
			})
		})

	spec.It("touches a healthy pod beside down nodes only if maxUnavailable is greater than their number",
		spec.Decides("ROLLING-011"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			// A pod that did not tolerate what a down node is tainted with would not be wanted there any more.
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), tolerateEverything())
			down := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Pods.HoldTermination(ctx, down)
			c.NodeDown(ctx, nodes[0])
			c.Pods.BecomeUnready(ctx, down)
			c.Await(ctx, Quiet(time.Second))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the update", Processed(updated))
			c.Await(ctx, Quiet(time.Second))
			updated = c.Update(ctx, daemonSet, MaxUnavailable("2"))
			c.Await(ctx, UpdatedOn(len(nodes)-1, updated, NotOnNode(nodes[0]), history.IsReady))
			update := StimulusIs("update DaemonSet")
			healthy := PodDeleted(OfVersion("v1")).Where("on a node that is up", func(o Occurrence) bool { return o.Node() != nodes[0] })
			c.Decide("ROLLING-011", NeverBetween(Nth(1, update), Nth(2, update), healthy), Exactly(3, healthy))
		}, spec.SimulatedNodes{})
}

// sick makes the DaemonSet's pods on the nodes unready, and leaves the controller more than judge.Lag to see it.
func sick(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes ...string) {
	for _, node := range nodes {
		c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, node))
	}
	c.Await(ctx, Quiet(2*time.Second))
}

func tolerateEverything() Edit {
	return Edit{Says: "every taint tolerated", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}}
}
