package inplace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// otherNames are the specs of a runtime that calls images otherwise than pods do, as one does that completes their names or has them from a mirror.
func otherNames() {
	spec.It("counts an update as done when the container has been restarted, though the runtime calls the image by another name than the pod",
		spec.Decides("INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 2
			updated := c.Update(ctx, begin(ctx, c, nodes, HoldRestarts()), Image("v2"))
			for done := range nodes {
				c.Await(ctx, UpdatedOn(done+1, updated))
				for _, pod := range held(ctx, c, updated) {
					restartByOtherName(ctx, c, pod)
				}
			}
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, counted(updated, nodes))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartAs)))
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})

	spec.It("counts a patched pod as unavailable until its readiness gate opens again, though its containers have been restarted, by another name of the image",
		spec.Decides("INPLACE-013", "INPLACE-023", "INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", c.InPlaceIfPossible(), MaxUnavailable("1"), ReadinessGate(open), HoldRestarts()))
			c.Require(ctx, "the containers of both pods are ready", UpdatedOn(2, daemonSet, ContainersReady))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				rollouts.OpenGate(ctx, c, pod, open, time.Now())
			}
			c.Require(ctx, "both pods are Ready", Steady(daemonSet))
			c.Mark(begun)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			first := c.RequireUpdated(ctx, "a pod is patched", updated)
			c.Pods.ObserveUpdate(ctx, first)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			// Before the restart: in between the pod would be available.
			rollouts.CloseGate(ctx, c, first, open)
			c.Mark(last)
			restartByOtherName(ctx, c, first)
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			rollouts.OpenGate(ctx, c, first, open, time.Now())
			second := c.RequireUpdated(ctx, "the other pod is patched", updated, NotOnNode(history.NodeOf(first)))
			restartByOtherName(ctx, c, second)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, counted(updated, 2))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ObserveUpdate)), AtLeast(1, Done(history.RestartAs)), AtLeast(1, Marked(next)))
			j.Decide("INPLACE-013", append(stayed(begun), AtLeast(1, PodPatched()), NeverBetween(Marked(last), Marked(next), PodPatched()))...)
			j.Decide("INPLACE-023", AtLeast(1, PodPatched()), NeverBetween(First(Began(history.ObserveUpdate)), Marked(last), PodPatched()))
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})
}

// open is the condition by which pods with a readiness gate become Ready.
const open corev1.PodConditionType = "rollcall.dev/open"

// restartByOtherName has the pod's container restarted, by a runtime that has its image from a mirror.
func restartByOtherName(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	c.Pods.RestartAs(ctx, pod, "mirror.rollcall.dev/"+pod.Spec.Containers[0].Image)
}

// injected is the spec of pods that have more than their template, by admission.
func injected() {
	spec.It("patches that container of pods whose image changed where admission has added one in front of it",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.ChangePodsInFront(ctx)
			c.RollOut(ctx, begin(ctx, c, 2), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ChangePods)), AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(Exactly(1, PodPatched(OfVersion("v2")))), Never(restartedIn("sidecar")))...)
		}, spec.SimulatedNodes{})

	spec.It("leaves alone a container whose image admission has changed until the template gives it another one",
		spec.Decides("INPLACE-003", "INPLACE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.MirrorSidecars(ctx)
			first := begin(ctx, c, 2, Sidecar())
			c.RollOut(ctx, first, Image("v2"))
			c.Mark(next)
			c.RollOut(ctx, first, SidecarImage("v3"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ChangePods)), AtLeast(1, Marked(next)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(Exactly(2, PodPatched(OfVersion("v2")))))...)
			j.Decide("INPLACE-016", NeverBetween(Marked(begun), Marked(next), restartedIn("sidecar")), OnEveryNode(Exactly(1, restartedIn("sidecar"))),
				OnEveryNode(Exactly(1, restartedIn("daemon"))))
		}, spec.SimulatedNodes{})

	spec.It("leaves alone a container of a StatefulSet's pods whose image admission has changed until the template gives it another one",
		spec.Decides("INPLACE-016", "INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			c.MirrorSidecars(ctx)
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible(), Sidecar())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(next)
			updateBoth(ctx, c, OfPods(SidecarImage("v3")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ChangePods)), AtLeast(1, Marked(next)))
			j.Decide("INPLACE-016", NeverBetween(Marked(begun), Marked(next), restartedIn("sidecar")), Exactly(4, restartedIn("sidecar")), Exactly(4, restartedIn("daemon")))
			j.Decide("INPLACE-031", append(stayed(begun), setsEndRolledOut(), Exactly(8, PodPatched()))...)
		}, spec.SimulatedNodes{}, recorded())

	spec.It("patches pods to which admission has added a container",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.ChangePods(ctx)
			c.RollOut(ctx, begin(ctx, c, 2), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.ChangePods)), AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(Exactly(1, PodPatched(OfVersion("v2")))))...)
		}, spec.SimulatedNodes{})
}
