package inplace

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restarts are the specs of what is a restart, and what looks like one.
func restarts() {
	spec.It("does not take a container that comes late for an earlier update, of several, for that of the present one",
		spec.Decides("INPLACE-027"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, HoldRestarts())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			second := c.Update(ctx, updated, Image("v3"))
			c.Require(ctx, "a pod that waits for its first restart is patched again", UpdatedOn(1, second))
			third := c.Update(ctx, second, Image("v4"))
			c.Require(ctx, "and again", UpdatedOn(1, third))
			for _, pod := range held(ctx, c, third) {
				c.Pods.RestartAs(ctx, pod, updated.Spec.Template.Spec.Containers[0].Image)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, third)
		},
		func(j *spec.Checks) {
			late := Began(history.RestartAs)
			j.Given(AtLeast(1, late))
			j.Decide("INPLACE-027", append(stayed(begun), EndsRolledOut(), NeverBetween(First(late), Marked(next), PodPatched()))...)
		}, spec.SimulatedNodes{})

	spec.It("counts a patched pod as available again only when every container that was to be restarted has been, whichever others have, and whatever the nodes' clocks say",
		spec.Decides("INPLACE-013", "INPLACE-023", "INPLACE-027"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, Sidecar(), HoldRestarts())
			// That a container was restarted before says nothing of the update, though by its node's clock it was after that.
			started := time.Now().Add(ahead)
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.RestartContainerAt(ctx, pod, "daemon", started)
			}
			c.Require(ctx, "the containers run again", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			// This one has crashed: its image is the same.
			restartSidecar(ctx, c, updated)
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(last)
			second := c.Update(ctx, updated, SidecarImage("v2"))
			c.Require(ctx, "a pod that waits for its first restart is patched again", UpdatedOn(1, second))
			restartSidecar(ctx, c, second)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			// What starts from now on did so after what was there before, by any clock.
			c.Await(ctx, Past(started.Add(time.Second)))
			c.Mark(next)
			releaseAll(ctx, c, second)
		},
		func(j *spec.Checks) {
			alone := After(Began(history.RestartContainer), First(PodPatched()))
			j.Given(AtLeast(2, alone))
			j.Decide("INPLACE-013", append(stayed(begun), EndsRolledOut(), NeverBetween(Marked(begun), Marked(next), Nth(3, PodPatched())))...)
			j.Decide("INPLACE-023", NeverBetween(First(alone), Marked(last), PodPatched()))
			j.Decide("INPLACE-027", NeverBetween(Nth(2, alone), Marked(next), PodPatched()))
		}, spec.SimulatedNodes{})

	spec.It("does not take two restarts of one container for a restart of each of two whose images were changed at once",
		spec.Decides("INPLACE-013", "INPLACE-023"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, Sidecar(), HoldRestarts())
			updated := c.Update(ctx, daemonSet, Image("v2"), SidecarImage("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			// The second time it has crashed.
			restartSidecar(ctx, c, updated)
			restartSidecar(ctx, c, updated)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			alone := After(Began(history.RestartContainer), First(PodPatched()))
			j.Given(AtLeast(2, alone))
			j.Decide("INPLACE-013", append(stayed(begun), EndsRolledOut(), NeverBetween(Marked(begun), Marked(next), Nth(2, PodPatched())))...)
			j.Decide("INPLACE-023", AtLeast(1, PodPatched()), NeverBetween(First(alone), Marked(next), PodPatched()))
		}, spec.SimulatedNodes{})

	spec.It("counts a pod as unavailable that is patched to a revision which it has been of before, until its containers have been restarted again",
		spec.Decides("INPLACE-013"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2)
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v1"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.HoldRestart(ctx, pod)
			}
			c.Mark(last)
			again := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, again, UpdatedOn(1, again))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, again)
		},
		func(j *spec.Checks) {
			patched := After(PodPatched(), Marked(last))
			j.Given(AtLeast(4, PodPatched()))
			j.Decide("INPLACE-013", append(stayed(begun), EndsRolledOut(), AtLeast(1, patched), NeverBetween(Marked(last), Marked(next), Nth(2, patched)))...)
		}, spec.SimulatedNodes{})

	spec.It("waits for no restart where an update is taken back before the kubelet came to it",
		spec.Decides("INPLACE-030"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, HoldRestarts())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			c.Mark(next)
			back := c.Update(ctx, updated, Image("v1"))
			c.Require(ctx, "the pod is patched back", UpdatedOn(2, back))
			for _, pod := range held(ctx, c, back) {
				if pod.Status.ObservedGeneration == 0 {
					c.CannotDecide("kubelets do not say here which change of a pod they have seen")
				}
				c.Pods.ObserveUpdate(ctx, pod)
			}
			c.Await(ctx, RolledOut(back))
			c.Await(ctx, counted(back, 2))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-030", append(stayed(begun), EndsRolledOut(), Never(After(PodRestarted(), Marked(begun))), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})

	spec.It("counts a pod whose update is taken back as unavailable while its kubelet has come to the update alone",
		spec.Decides("INPLACE-027", "INPLACE-030"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, HoldRestarts())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			back := c.Update(ctx, updated, Image("v1"))
			c.Require(ctx, "the pod is patched back", UpdatedOn(2, back))
			c.Mark(next)
			waiting := held(ctx, c, back)
			for _, pod := range waiting {
				if pod.Status.ObservedGeneration == 0 {
					c.CannotDecide("kubelets do not say here which change of a pod they have seen")
				}
				rollouts.ObserveGeneration(ctx, c, pod, pod.Generation-1)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(last)
			for _, pod := range waiting {
				c.Pods.ObserveUpdate(ctx, pod)
			}
			c.Await(ctx, RolledOut(back))
			c.Await(ctx, counted(back, 2))
		},
		func(j *spec.Checks) {
			allCounted := StatusWritten().Where("that counts both pods as available", func(m Moment) bool {
				daemonSet, is := m.Object.(*appsv1.DaemonSet)
				return is && daemonSet.Status.NumberAvailable == 2
			})
			j.Given(AtLeast(1, Marked(next)), AtLeast(2, Done(history.ObserveUpdate)))
			for _, id := range []requirements.ID{"INPLACE-027", "INPLACE-030"} {
				j.Decide(id, NeverBetween(Marked(next), Marked(last), allCounted), EndsRolledOut(), HoldsAtEnd(allAvailable()))
			}
		}, spec.SimulatedNodes{})

	spec.It("counts an update as done when the container has been restarted, though the new image is the old one by another name",
		spec.Decides("INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 2), SameImageAgain())
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, counted(updated, 2))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})

	spec.It("counts an update as done when the container has been restarted, though by its node's clock that was before the update",
		spec.Decides("INPLACE-026"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 2
			updated := c.Update(ctx, begin(ctx, c, nodes, HoldRestarts()), Image("v2"))
			for done := range nodes {
				c.Await(ctx, UpdatedOn(done+1, updated))
				for _, pod := range held(ctx, c, updated) {
					c.Pods.RestartContainerAt(ctx, pod, "daemon", time.Now().Add(-time.Hour))
				}
			}
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, counted(updated, nodes))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartContainer)))
			j.Decide("INPLACE-026", append(stayed(begun), EndsRolledOut(), HoldsAtEnd(allAvailable()))...)
		}, spec.SimulatedNodes{})

	spec.It("recreates pods that are not scheduled, are terminating or have failed",
		spec.Decides("INPLACE-021"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2)
			pending := c.Update(ctx, daemonSet, Image("v2"), rollouts.Demand("1M"))
			c.Require(ctx, "a pod waits for a node", UpdatedOn(1, pending, unscheduled))
			// Long enough for everybody to know that the pod is not scheduled. So it is below, where a pod has failed, or is terminating.
			c.Await(ctx, Quiet(known))
			pending = c.Update(ctx, pending, Image("v3"))
			c.Await(ctx, UpdatedOn(1, pending, unscheduled))
			failing := c.Update(ctx, pending, Image("v4"), rollouts.Demand("1m"), Failing())
			c.Require(ctx, "a pod has failed", state.All(hasFailed(failing), Quiet(known)))
			c.Update(ctx, failing, Image("v5"))
			healthy := c.Update(ctx, failing, Image("v6"), Healthy())
			c.Await(ctx, RolledOut(healthy))
			// The last pods are terminating when their template changes.
			old := c.LivePods(ctx, healthy)[0]
			c.Pods.HoldTermination(ctx, old)
			c.DeletePod(ctx, old, time.Duration(*old.Spec.TerminationGracePeriodSeconds)*time.Second)
			c.Await(ctx, Quiet(known))
			last := c.Update(ctx, healthy, Image("v7"))
			rollouts.Settle(ctx, c, last, Processed(last))
			c.Pods.ReleaseTermination(ctx, old)
			c.Await(ctx, RolledOut(last))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-021", EndsRolledOut(), AtLeast(1, PodCreated(OfVersion("v3"))), Never(PodPatched().Where("not scheduled, terminating or ended", func(m Moment) bool {
				before, _ := m.Before.(*corev1.Pod)
				return before != nil && (before.Spec.NodeName == "" || !history.IsLive(before))
			})))
		}, spec.SimulatedNodes{})
}

// ahead is by how much the clock of a node is: longer than a controller may take to patch a pod.
const ahead = 10 * time.Second

// known is long enough for everybody to know what has become of a pod: some look at it and patch it without asking whether it is still as it was.
const known = judge.Lag + 500*time.Millisecond

// hasFailed holds when an updated pod has failed and is still there.
func hasFailed(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("an updated pod has failed", func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.UpdatedPods(daemonSet), func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodFailed })
	})
}

// restartSidecar restarts the second container of the pods that are held, and says that their kubelet has seen what was changed.
func restartSidecar(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	for _, pod := range held(ctx, c, daemonSet) {
		c.Pods.RestartContainer(ctx, pod, "sidecar")
	}
}

// unscheduled reports whether the pod waits for a node.
func unscheduled(pod *corev1.Pod) bool { return pod.Spec.NodeName == "" }

// counted holds when the status says that many nodes have an available pod.
func counted(daemonSet *appsv1.DaemonSet, nodes int32) Condition {
	return state.When("the status counts every node as available", func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[daemonSet.UID]
		return now != nil && now.Status.NumberAvailable == nodes && now.Status.UpdatedNumberScheduled == nodes
	})
}

// allAvailable holds when the statuses say that every node has an available pod.
func allAvailable() Condition {
	return state.When("every DaemonSet's status counts all nodes as available", func(cluster *history.Cluster) bool {
		for _, daemonSet := range cluster.DaemonSets {
			if daemonSet.Status.NumberAvailable != daemonSet.Status.DesiredNumberScheduled {
				return false
			}
		}
		return true
	})
}
