package drain

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// handOff are the specs of pods that are deleted while no rollout is under way.
func handOff() {
	spec.It("makes the replacement of a deleted pod beside it, while it terminates, and lets it become Ready there",
		spec.Decides("DRAIN-002", "DRAIN-004"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxSurge("1"))
			for _, pod := range old {
				deleteGracefully(ctx, c, pod)
				c.Await(ctx, replaced(daemonSet, pod, history.IsReady))
			}
			// Two more on a node where one is terminating already.
			all := old
			for range 2 {
				again := c.LivePodOn(ctx, daemonSet, history.NodeOf(old[0]))
				deleteGracefully(ctx, c, again)
				c.Await(ctx, replaced(daemonSet, again, history.IsReady))
				all = append(all, again)
			}
			for _, pod := range all {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				gone := First(PodGone().On(node))
				j.Decide("DRAIN-002", Before(after(history.DeletePod, node), gone), EndsRolledOut())
				j.Decide("DRAIN-004", Before(After(PodReady().On(node), Began(history.DeletePod)), gone), Before(First(Began(history.ReleaseTermination)), gone))
			}
		}, spec.MainPath{})

	spec.It("leaves pods the grace period that they are deleted with, though it is longer than their own and others on their nodes are available, and updated",
		spec.Decides("DRAIN-004"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxSurge("1"))
			for _, pod := range old {
				c.DeletePod(ctx, pod, time.Hour)
				c.Await(ctx, replaced(daemonSet, pod, history.IsReady))
			}
			c.Await(ctx, Quiet(handOffTime))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, UpdatedOn(len(old), updated, history.IsReady))
			c.Await(ctx, Quiet(handOffTime))
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				available := After(PodReady().On(node), Began(history.DeletePod))
				j.Decide("DRAIN-004",
					Tested(Before(First(available), First(PodGone().On(node)))),
					Tested(Before(First(PodReady(OfVersion("v2")).On(node)), First(PodGone(OfVersion("v1")).On(node)))),
					NeverBetween(Began(history.DeletePod), Began(history.ReleaseTermination), PodGracePeriodShortened(OfVersion("v1")).On(node)))
			}
			// Those of v1 that came in the place of others are handed over by the controller.
			j.Decide("DRAIN-004", Tested(AtLeast(1, After(PodDeleted(OfVersion("v1")), TemplateChanged()))), Never(rollouts.CutShort()))
		}, spec.SimulatedNodes{})

	spec.It("makes no replacement of a pod that terminates where maxSurge is 0",
		spec.Decides("DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxUnavailable("1"), rollouts.ZeroPercent())
			deleteGracefully(ctx, c, old[0])
			c.Evict(ctx, old[1])
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				// That it comes too early is for the rule to find: one that has ended is no hindrance, whether or not it is gone (DRAIN-007).
				j.Decide("DRAIN-003", AtLeast(1, After(PodCreated().On(node), First(PodDeleted().On(node)))))
			}
		})

	spec.It("makes no replacement of a pod that is still there when its grace period is over, where maxSurge is 0",
		spec.Decides("DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxUnavailable("1"))
			c.DeletePod(ctx, old[0], time.Second)
			// Its kubelet does not come to it, for longer than the grace period and as long again as a controller may be late.
			c.Await(ctx, Quiet(time.Second+spec.Prompt))
			c.Pods.ReleaseTermination(ctx, old[0])
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Decide("DRAIN-003", AtLeast(1, After(PodCreated(), First(PodDeleted()))))
		}, spec.SimulatedNodes{})

	spec.It("makes no replacement of two terminating pods of a node before both are gone, where maxSurge has become 0",
		spec.Decides("DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, first := deployLingering(ctx, c, MaxSurge("1"))
			for _, pod := range first {
				c.DeletePod(ctx, pod, time.Minute)
				c.Await(ctx, replaced(daemonSet, pod, history.IsReady))
			}
			second := c.LivePods(ctx, daemonSet)
			daemonSet = c.Update(ctx, daemonSet, MaxUnavailable("2"))
			c.Require(ctx, "the controller has seen that maxSurge is 0", Processed(daemonSet))
			c.Await(ctx, Quiet(judge.Lag))
			for _, pod := range second {
				c.DeletePod(ctx, pod, time.Minute)
			}
			// One of each node goes, on one node that which was deleted first, on the other the second.
			for _, pods := range [][]*corev1.Pod{{first[0], second[1]}, {second[0], first[1]}} {
				// Longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				for _, pod := range pods {
					c.Pods.ReleaseTermination(ctx, pod)
				}
			}
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				// That it comes too early is for the rule to find.
				j.Given(AtLeast(2, PodDeleted().On(node)))
				j.Decide("DRAIN-003", AtLeast(1, After(PodCreated().On(node), Nth(2, PodDeleted().On(node)))))
			}
		})

	spec.It("keeps one live pod on a node however often that is deleted, and ends with one",
		spec.Decides("DRAIN-005", "SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// One is deleted before it runs, the next while it is not Ready, and those before it are still there.
			daemonSet := c.Deploy(ctx, MaxSurge("1"), ReadyAfter(time.Second), DrainFor(4*time.Second))
			for i := range 5 {
				pods := c.LivePods(ctx, daemonSet)
				if len(pods) == 0 {
					break
				}
				deleteGracefully(ctx, c, pods[0])
				if i%2 == 0 {
					c.Await(ctx, replaced(daemonSet, pods[0]))
				} else {
					c.Await(ctx, replaced(daemonSet, pods[0], history.IsReady))
				}
			}
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.DeletePod)))
			j.Decide("DRAIN-005", Never(PodCreated().BesideLivePod()), EndsRolledOut())
		})

	spec.It("makes the replacement of a pod that is evicted from a cordoned node beside it, while it terminates",
		spec.Decides("DRAIN-006"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxSurge("1"))
			for _, pod := range old {
				c.Cordon(ctx, history.NodeOf(pod))
				c.Evict(ctx, pod)
				c.Await(ctx, replaced(daemonSet, pod))
			}
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lingering) {
				j.Decide("DRAIN-006", Before(after(history.EvictPod, node), First(PodGone().On(node))), EndsRolledOut())
			}
		}, spec.SimulatedNodes{})
}
