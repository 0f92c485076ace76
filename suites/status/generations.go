package status

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// generations are the specs of observedGeneration.
func generations() {
	spec.It("observes a generation only with the numbers that follow from its spec",
		spec.Decides("STATUS-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			rollouts.JoinPool(ctx, c, nodes[:2]...)
			daemonSet := c.Deploy(ctx, OnDelete())
			c.Await(ctx, Quiet(time.Second))
			// With OnDelete the numbers stay what follows from the spec: one change is in the number of nodes, the other in which pods are updated.
			changed := c.Update(ctx, daemonSet, Image("v2"), rollouts.OnPool())
			awaitStatus(ctx, c, changed, desired(2), updated(0))
			c.Await(ctx, Processed(changed))
			again := c.Update(ctx, changed, MinReadySeconds(hour))
			awaitStatus(ctx, c, again, desired(2), available(0))
			c.Await(ctx, Processed(again))
			// No number follows from this one, nor from a pod that goes.
			c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[2]))
			c.Await(ctx, Quiet(time.Second))
			c.AwaitAfter(ctx, 2*spec.Prompt, Processed(c.Update(ctx, again, Edit{Says: "revisionHistoryLimit 7", Apply: func(d *appsv1.DaemonSet) {
				*d.Spec.RevisionHistoryLimit = 7
			}})))
		},
		func(j *spec.Checks) {
			second := StatusWritten().Where("that observes the second generation with numbers of the first", func(m Moment) bool {
				now := m.Object.(*appsv1.DaemonSet)
				return now.Status.ObservedGeneration == 2 && (now.Status.DesiredNumberScheduled != 2 || now.Status.UpdatedNumberScheduled != 0)
			})
			third := StatusWritten().Where("that observes the third generation with numbers of the second", func(m Moment) bool {
				now := m.Object.(*appsv1.DaemonSet)
				return now.Status.ObservedGeneration >= 3 && now.Status.NumberAvailable != 0
			})
			j.Given(AtLeast(2, Done(history.UpdateDaemonSet)))
			j.Decide("STATUS-010", Never(second), Never(third))
		}, spec.SimulatedNodes{})

	spec.It("observes no generation with the numbers of the one before where a conflict tells it of one that it has not heard of",
		spec.Decides("STATUS-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, OnDelete())
			pod := c.LivePods(ctx, daemonSet)[0]
			c.Await(ctx, Quiet(time.Second))
			c.DelayWatches(ctx, heldBack, "daemonsets")
			changed := c.Update(ctx, daemonSet, Image("v2"))
			// By the template that it knows every pod is an updated one, and one of them is not Ready any more.
			c.Pods.BecomeUnready(ctx, pod)
			c.Await(ctx, state.Any(says(changed, ready(1)), Past(time.Now().Add(spec.AtOnce))))
			c.EndWatchDelay(ctx)
			awaitStatus(ctx, c, changed, ready(1), updated(0))
			c.Await(ctx, Processed(changed))
		},
		func(j *spec.Checks) { j.Given(Exactly(1, Done(history.EndWatchDelay))) }, spec.Alone{Relay: true}, spec.SimulatedNodes{})
}

// heldBack is longer than what happens meanwhile takes.
const heldBack = time.Minute

// hour is a minReadySeconds that no spec waits out.
const hour = 3600
