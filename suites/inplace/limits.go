package inplace

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limits are the specs of how many pods are restarted at once.
func limits() {
	spec.It("patches no more pods than maxUnavailable until the containers of one have been restarted, whatever the pod and its kubelet say",
		spec.Decides("INPLACE-003", "INPLACE-012", "INPLACE-013", "INPLACE-023"),
		func(ctx context.Context, c *spec.Case) {
			const limit = 2
			daemonSet := begin(ctx, c, 4, MaxUnavailable("2"), HoldRestarts())
			c.Cordon(ctx, history.NodeOf(c.LivePods(ctx, daemonSet)[0]))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(limit, updated))
			observeAll(ctx, c, updated)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.AwaitAfter(ctx, statuses, counts(updated))
			// Patched pods do not become available because the strategy is OnDelete.
			paused := c.Update(ctx, updated, OnDelete())
			c.Await(ctx, Processed(paused))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, c.Update(ctx, paused, MaxUnavailable("2")))
		},
		func(j *spec.Checks) {
			const limit = 2
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut())...)
			third := NeverBetween(Marked(begun), Marked(next), Nth(limit+1, PodPatched()))
			j.Decide("INPLACE-012", append(stayed(begun), EndsRolledOut(), third)...)
			j.Decide("INPLACE-013", Tested(AtLeast(1, Done(history.ObserveUpdate))), third,
				Before(After(StatusWritten().Where("with fewer available pods than nodes", fewerAvailable), Marked(begun)), Marked(next)))
			j.Decide("INPLACE-023", Tested(AtLeast(1, Done(history.ObserveUpdate))),
				NeverBetween(First(Began(history.ObserveUpdate)), Marked(next), Nth(limit+1, PodPatched())))
		}, spec.SimulatedNodes{})

	spec.It("does not believe a pod that was not Ready when it was patched, and says that it is before its containers are restarted",
		spec.Decides("INPLACE-013", "INPLACE-023"),
		func(ctx context.Context, c *spec.Case) {
			first := c.Update(ctx, begin(ctx, c, 2, HoldRestarts()), another("another variable", withVariable), ReadyAfter(slow))
			rollouts.Settle(ctx, c, first, UpdatedOn(1, first, Running, NotReady))
			// The pod that is not Ready yet differs from this in its image alone. It is the container of before that becomes ready.
			second := c.Update(ctx, first, Image("v2"))
			c.Require(ctx, "the pod is patched before it is Ready", UpdatedOn(1, second, NotReady))
			c.Require(ctx, "it says that it is Ready", UpdatedOn(1, second, saysReady))
			c.Mark(last)
			observeAll(ctx, c, second)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, second)
		},
		func(j *spec.Checks) {
			stays := NeverBetween(Marked(begun), Marked(next), Nth(2, PodDeleted()))
			j.Given(AtLeast(1, Marked(last)))
			j.Decide("INPLACE-013", EndsRolledOut(), AtLeast(1, PodPatched()), stays)
			j.Decide("INPLACE-023", Tested(AtLeast(1, Done(history.ObserveUpdate))), stays)
		}, spec.SimulatedNodes{})

	spec.It("goes on counting a patched pod as unavailable when the policy becomes another one, and goes by that one from then on",
		spec.Decides("INPLACE-002", "INPLACE-013"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 2, HoldRestarts()), Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			updated = c.Update(ctx, updated, c.Recreate())
			observeAll(ctx, c, updated)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-013", Tested(AtLeast(1, Done(history.ObserveUpdate))), EndsRolledOut(),
				NeverBetween(Marked(begun), Marked(next), PodDeleted()), NeverBetween(Marked(begun), Marked(next), Nth(2, PodPatched())))
			j.Decide("INPLACE-002", EndsRolledOut(), Never(After(PodPatched(), Marked(next))))
		}, spec.SimulatedNodes{})
}

// mixed are the specs of pods that are patched beside pods that are recreated.
func mixed() {
	spec.It("recreates the pods of an older revision that differ in more, while others are patched, within maxUnavailable",
		spec.Decides("INPLACE-008", "INPLACE-012"),
		func(ctx context.Context, c *spec.Case) {
			const never = 1000
			daemonSet := begin(ctx, c, 2, HoldRestarts())
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-time.Hour))
			}
			first := c.Update(ctx, daemonSet, another("another variable", withVariable), MinReadySeconds(never))
			rollouts.Settle(ctx, c, first, UpdatedOn(1, first, history.IsReady))
			c.Mark(last)
			second := c.Update(ctx, first, Image("v2"))
			c.Require(ctx, "the pod that differs in its image alone is patched", UpdatedOn(1, second))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, c.Update(ctx, second, MinReadySeconds(0)))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-008", EndsRolledOut(), Keeps("INPLACE-004"), AtLeast(1, PodCreated(OfVersion("v2"))))
			j.Decide("INPLACE-012", EndsRolledOut(), NeverBetween(Marked(last), Marked(next), PodDeleted()), NeverBetween(Marked(last), Marked(next), Nth(2, PodPatched())))
		}, spec.SimulatedNodes{})

	spec.It("spends maxUnavailable once, on the pods that are patched and on those that are recreated",
		spec.Decides("INPLACE-012"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 3)
			onDelete := c.Update(ctx, daemonSet, OnDelete(), another("another variable", withVariable))
			c.Await(ctx, Processed(onDelete))
			c.DeletePod(ctx, c.LivePods(ctx, daemonSet)[0], time.Second)
			c.Require(ctx, "one pod is updated", UpdatedOn(1, onDelete, history.IsReady))
			c.Await(ctx, Quiet(known))
			// That one differs from the next template in its image alone, the others in more, and all of them are available.
			c.Mark(last)
			c.RollOut(ctx, onDelete, MaxUnavailable("1"), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(last)))
			j.Decide("INPLACE-012", EndsRolledOut(), Exactly(1, PodPatched()), Exactly(2, PodCreated(OfVersion("v2"))))
		}, spec.SimulatedNodes{})

	spec.It("decides anew for each template whether the pods of an older revision can be patched",
		spec.Decides("INPLACE-003", "INPLACE-008"),
		func(ctx context.Context, c *spec.Case) {
			deployed := begin(ctx, c, 3, HoldRestarts())
			variable := another("another variable", withVariable)
			first := c.Update(ctx, deployed, variable, NeverReady())
			rollouts.Settle(ctx, c, first, UpdatedOn(1, first, NotReady))
			// The two pods that the update has not come to differ from this template in their image alone, and from the next in more.
			second := c.Update(ctx, first, Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *deployed.Spec.Template.DeepCopy() }}, Image("v2"))
			rollouts.Settle(ctx, c, second, UpdatedOn(2, second))
			c.Mark(last)
			c.Await(ctx, RolledOut(c.Update(ctx, second, variable, Image("v3"))))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(last)))
			j.Decide("INPLACE-003", EndsRolledOut(), AtLeast(1, PodPatched()))
			j.Decide("INPLACE-008", EndsRolledOut(), Keeps("INPLACE-004"), OnEveryNode(AtLeast(1, PodCreated(OfVersion("v3")))))
		}, spec.SimulatedNodes{})
}

// otherBounds are the specs of what bounds updates in place besides: minReadySeconds, an image that cannot be pulled, maxSurge.
func otherBounds() {
	spec.It("counts minReadySeconds from the last restart where the pod stays Ready meanwhile",
		spec.Decides("INPLACE-012", "INPLACE-024"),
		func(ctx context.Context, c *spec.Case) {
			const minReady = 5
			daemonSet := begin(ctx, c, 2, Sidecar(), HoldRestarts())
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-time.Hour))
			}
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
			c.Require(ctx, "the pods are available", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"), SidecarImage("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			restartSidecar(ctx, c, updated)
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range held(ctx, c, updated) {
				c.Pods.RestartContainer(ctx, pod, "daemon")
			}
			c.Await(ctx, UpdatedOn(2, updated))
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Began(history.RestartContainer)))
			j.Decide("INPLACE-012", EndsRolledOut())
			j.Decide("INPLACE-024",
				Before(First(PodAvailable(OfVersion("v2"))), Nth(2, PodPatched())),
				Within(spec.AtOnce, First(PodAvailable(OfVersion("v2"))), Nth(2, PodPatched())))
		}, spec.SimulatedNodes{})

	spec.It("stops within maxUnavailable at an image that cannot be pulled, and repairs it in place",
		spec.Decides("INPLACE-019"),
		func(ctx context.Context, c *spec.Case) {
			broken := c.Update(ctx, begin(ctx, c, 3), UnpullableImage())
			rollouts.Settle(ctx, c, broken, UpdatedOn(1, broken, NotReady))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			c.RollOut(ctx, broken, Image("v3"))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-019", append(stayed(begun), EndsRolledOut(), NeverBetween(Marked(begun), Marked(next), Nth(2, PodPatched())))...)
		})

	spec.It("restarts nothing that is available with maxSurge, whatever the policy",
		spec.Decides("INPLACE-020"),
		func(ctx context.Context, c *spec.Case) {
			c.RollOut(ctx, begin(ctx, c, 3, MaxSurge("1")), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-020", Tested(EndsRolledOut()), Never(PodPatched().Where("available", Moment.WasAvailable)))
		})

	spec.It("restarts nothing that is available with maxSurge after a restart in the middle of the rollout",
		spec.Decides("INPLACE-020"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 3, MaxSurge("1"), ReadyAfter(2*time.Second)), Image("v2"))
			c.Require(ctx, "the first updated pod has been created", UpdatedOn(1, updated))
			c.Restart(ctx)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-020", Tested(EndsRolledOut()), Never(PodPatched().Where("available", Moment.WasAvailable)))
		}, spec.SimulatedNodes{}, spec.Alone{})
}

// slow is how long pods take to become Ready: longer than a controller may take to patch one meanwhile.
const slow = 8 * time.Second

// saysReady reports whether the pod says that it is Ready, from before its containers are restarted.
func saysReady(pod *corev1.Pod) bool {
	ready := history.Ready(pod)
	return ready != nil && ready.Reason == history.NotRestarted
}

// statuses is how long a status may take: it may be written in batches.
const statuses = judge.Lag + 3*spec.Prompt

// counts holds when the status counts fewer available pods than nodes.
func counts(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("the status counts fewer available pods than nodes", func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[daemonSet.UID]
		return now != nil && now.Status.UpdatedNumberScheduled > 0 && now.Status.NumberAvailable < now.Status.DesiredNumberScheduled
	})
}

// fewerAvailable reports whether the status counts fewer available pods than nodes once pods are updated.
func fewerAvailable(m Moment) bool {
	daemonSet, isDaemonSet := m.Object.(*appsv1.DaemonSet)
	return isDaemonSet && daemonSet.Status.UpdatedNumberScheduled > 0 && daemonSet.Status.NumberAvailable < daemonSet.Status.DesiredNumberScheduled
}
