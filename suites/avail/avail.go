// Package avail has the specs of availability: when a pod starts and stops to count as available in a controller's decisions.
package avail

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// hour is a minReadySeconds that no spec waits out: there the levers set since when a pod is Ready.
const hour = 3600

// open is the condition by which pods with a readiness gate become Ready.
const open corev1.PodConditionType = "rollcall.dev/open"

// Specs registers the family.
func Specs() {
	definition()
	undated()
	boundary()
	timers()
	longWaits()
	raised()
	again()
	shortened()
	disrupted()
	down()
	namesakes()
	withTemplate()
	whileWaiting()
}

// definition are the specs of what makes a pod available.
func definition() {
	spec.It("does not count a pod as available while it is terminating, not Ready, or not Ready for long enough",
		spec.Decides("AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(2), DrainFor(time.Second))
			// Pods of the first template that the second has not reached may go for the third.
			if c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second)) {
				c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"))
			}
		},
		func(j *spec.Checks) {
			j.Decide("AVAIL-001",
				OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				Before(First(PodAvailable(OfVersion("v3"))), Nth(2, PodDeleted(OfVersion("v2")))),
				Before(Nth(2, PodAvailable(OfVersion("v3"))), Nth(3, PodDeleted(OfVersion("v2")))))
		})

	spec.It("does not count a pod as available whose Ready condition is Unknown",
		spec.Decides("AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			pod := c.RequireUpdated(ctx, "an updated pod runs", updated, Running, NotReady)
			c.Bind("node", history.NodeOf(pod))
			rollouts.BecomeUnknown(ctx, c, pod)
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			node := j.Bound("node")
			j.Decide("AVAIL-001", Before(PodAvailable(OfVersion("v2")).On(node), PodDeleted(OfVersion("v1")).On(node)))
		}, spec.SimulatedNodes{})

	spec.It("does not count a pod as available whose containers are ready and whose readiness gate is not",
		spec.Decides("AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			gated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), ReadinessGate(open))
			c.RequireUpdated(ctx, "the containers of an updated pod are ready", gated, ContainersReady, NotReady)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.RollOut(ctx, gated, Image("v3"), Edit{Says: "no readiness gate", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.ReadinessGates = nil }})
		},
		func(j *spec.Checks) {
			j.Decide("AVAIL-001", Before(PodAvailable(OfVersion("v3")), PodDeleted(OfVersion("v1"))))
		})

	spec.It("counts minReadySeconds from when a pod is Ready, not from when its containers are",
		spec.Decides("AVAIL-001", "SURGE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			gated := c.Update(ctx, deployLongAvailable(ctx, c, MaxSurge("1")), Image("v2"), ReadinessGate(open))
			pod := c.RequireUpdated(ctx, "the containers of an updated pod are ready", gated, ContainersReady, NotReady)
			rollouts.OpenGate(ctx, c, pod, open, time.Now().Add(-2*hour*time.Second))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			rollouts.LongReady(ctx, c, pod)
			c.Await(ctx, RolledOut(gated))
		},
		func(j *spec.Checks) {
			j.Given(Before(PodReady(OfVersion("v2")), PodAvailable(OfVersion("v2"))))
			j.Decide("AVAIL-001", Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("does not count a pod as available that once was and is no longer Ready",
		spec.Decides("AVAIL-001", "ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 4})
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			first := c.RequireUpdated(ctx, "an updated pod runs", updated, Running, NotReady)
			c.Pods.BecomeReady(ctx, first)
			second := c.RequireUpdated(ctx, "the next updated pod runs", updated, Running, NotReady, NotOnNode(history.NodeOf(first)))
			rollouts.LoseReadiness(ctx, c, updated, history.NodeOf(first))
			// The first pod alone uses maxUnavailable up again.
			c.Pods.BecomeReady(ctx, second)
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, PodReady(OfVersion("v2"))))
			j.Decide("AVAIL-001", UpTo(2, PodDeleted(OfVersion("v1"))))
		})

	spec.It("without minReadySeconds counts a pod as available as soon as it is Ready",
		spec.Decides("AVAIL-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("AVAIL-002",
				OnEveryNode(Before(PodReady(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				OnEveryNode(Within(spec.AtOnce, PodReady(OfVersion("v2")).BesideLivePod(), PodDeleted(OfVersion("v1")))))
		})

	availableWithoutTime()

	spec.It("does not count a pod as available whose Ready condition has no transition time, and goes on once it has one",
		spec.Decides("AVAIL-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Pods.SetReadySince(ctx, pod, time.Time{})
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(watched)
			c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("AVAIL-006",
				NeverBetween(TemplateChanged(), Marked(watched), PodDeleted()),
				AtLeast(1, After(PodDeleted(OfVersion("v1")), Marked(watched))))
		}, spec.SimulatedNodes{})
}

// availableWithoutTime are the specs of pods that are available because they are Ready, whatever is said about since when.
func availableWithoutTime() {
	for _, condition := range []struct {
		says  string
		since func() time.Time
	}{
		{"has no transition time", func() time.Time { return time.Time{} }},
		{"has a transition time yet to come", func() time.Time { return time.Now().Add(hour * time.Second) }},
	} {
		spec.It("without minReadySeconds counts a pod as available whose Ready condition "+condition.says,
			spec.Decides("AVAIL-002"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, MaxSurge("1"))
				for _, pod := range c.LivePods(ctx, daemonSet) {
					c.Pods.SetReadySince(ctx, pod, condition.since())
				}
				// A controller that counts the old pods as unavailable gives each node an updated one, whatever the limit.
				rollouts.Stall(ctx, c, daemonSet, "v2", 1)
			},
			func(j *spec.Checks) {
				j.Given(AtLeast(1, PodCreated(OfVersion("v2"))))
				j.Decide("AVAIL-002", UpTo(1, PodCreated(OfVersion("v2"))), Never(PodDeleted(OfVersion("v1"))))
			}, spec.SimulatedNodes{})
	}
}

// watched is where a pod has had no transition time for long enough.
const watched history.Mark = "end of watch"

// deployLongAvailable deploys a DaemonSet with minReadySeconds of an hour whose pods have been Ready for two.
func deployLongAvailable(ctx context.Context, c *spec.Case, edits ...Edit) *appsv1.DaemonSet {
	return deployAvailable(ctx, c, hour, edits...)
}

// deployAvailable deploys a DaemonSet with minReadySeconds, of an hour at most, whose pods have been Ready for two hours.
func deployAvailable(ctx context.Context, c *spec.Case, minReady int32, edits ...Edit) *appsv1.DaemonSet {
	return longAvailable(ctx, c, c.Deploy(ctx, edits...), minReady)
}

// longAvailable gives a DaemonSet minReadySeconds, of an hour at most, for whose pods they are over.
func longAvailable(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, minReady int32) *appsv1.DaemonSet {
	for _, pod := range c.LivePods(ctx, daemonSet) {
		c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
	}
	daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
	c.Require(ctx, fmt.Sprintf("every pod is available under minReadySeconds of %d", minReady), Steady(daemonSet))
	return daemonSet
}

// readyPodOn waits for a Ready pod of the DaemonSet's present template on the node.
func readyPodOn(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, node string) *corev1.Pod {
	return c.RequireUpdated(ctx, "an updated pod on "+node+" is Ready", daemonSet, OnNode(node), history.IsReady)
}
