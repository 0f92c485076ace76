package surge

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

// rolledBack is where the template of before is restored.
const rolledBack history.Mark = "the template of before is restored"

// unavailable are the specs of old pods that are not available while a rollout is under way.
func unavailable() {
	spec.It("counts no node against maxSurge whose old pod is not available",
		spec.Decides("SURGE-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes, daemonSet := deployYoung(ctx, c, 4, 1, "1")
			c.Bind("young", nodes[0])
			// A cordoned node is an eligible one.
			c.Cordon(ctx, nodes[0])
			handOverBeside(ctx, c, stall(ctx, c, daemonSet, 2), nodes[:1], 3)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfVersion("v2")).On(j.Bound("young"))))
			// Whoever hands over only where something is left on every node need not come so far (SURGE-011).
			j.Decide("SURGE-013", Tested(AtLeast(3, availableDeleted("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("gives each of two nodes whose old pods lose their readiness an updated pod, while maxSurge is used up",
		spec.Decides("UNREADY-001", "SURGE-013"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			unready := rollouts.Untouched(ctx, c, updated, 2)
			c.Bind("unready", unready...)
			rollouts.LoseReadiness(ctx, c, updated, unready[0])
			// The other's Ready condition goes from True to Unknown, as far as a controller can see that was not there.
			c.Kill(ctx)
			other := c.LivePodOn(ctx, updated, unready[1])
			c.Pods.BecomeUnready(ctx, other)
			rollouts.BecomeUnknown(ctx, c, other)
			c.Restart(ctx)
			c.Await(ctx, UpdatedOn(3, updated))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll("unready") {
				replaced := AtLeast(1, PodCreated(OfVersion("v2")).On(node))
				j.Decide("UNREADY-001", replaced)
				j.Decide("SURGE-013", replaced)
			}
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("counts neither of two nodes against maxSurge whose old pods are not available, after a restart",
		spec.Decides("SURGE-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Kill(ctx)
			for _, node := range nodes[:2] {
				c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, node))
			}
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Restart(ctx)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			handOverBeside(ctx, c, updated, nodes[:2], 2)
		},
		func(j *spec.Checks) { j.Decide("SURGE-013", Tested(AtLeast(2, availableDeleted("v1")))) }, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("counts neither of two nodes against maxSurge whose old pods are Ready and too young, after a restart",
		spec.Decides("SURGE-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes, daemonSet := deployYoung(ctx, c, 5, 2, "1")
			c.Kill(ctx)
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Restart(ctx)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			handOverBeside(ctx, c, updated, nodes[:2], 2)
		},
		func(j *spec.Checks) { j.Decide("SURGE-013", Tested(AtLeast(2, availableDeleted("v1")))) }, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("keeps one pod of each revision at most while neither is ready, and ends with one",
		spec.Decides("SURGE-022", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			old := c.LivePods(ctx, daemonSet)
			updated := stall(ctx, c, daemonSet, len(old))
			for i, pod := range old {
				c.Pods.BecomeUnready(ctx, pod)
				if i == 1 && c.NodeKind() == Simulated {
					rollouts.BecomeUnknown(ctx, c, pod)
				}
			}
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-022",
				EndsRolledOut(),
				Never(PodCreated().Where("a third live pod on its node", func(m Moment) bool { return len(m.LivePodsBeside()) > 1 })))
		})

	spec.It("ends with the updated pod, for which there is no room beside the old one, once that is not Ready",
		spec.Decides("SURGE-022"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.Demand("5"))
			old := c.LivePods(ctx, daemonSet)[0]
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			rollouts.NeedsScheduler(ctx, c, updated)
			c.Pods.BecomeUnready(ctx, old)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodUnready(OfVersion("v1"))))
			j.Decide("SURGE-022", EndsRolledOut())
		}, spec.SimulatedNodes{})

	spec.It("keeps maxSurge while an old pod is not Ready and cannot be deleted",
		spec.Decides("SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			unready := c.LivePodOn(ctx, daemonSet, nodes[0])
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[0])
			c.RefuseDeletions(ctx, unready)
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			// Nobody has to go on before the pod can be deleted.
			c.Await(ctx, state.Any(UpdatedOn(3, updated), Past(time.Now().Add(spec.AtOnce))))
			c.AdmitDeletions(ctx, unready)
			// How long it takes to try again is for RECOVERY-014.
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) { j.Given(AtLeast(1, Done(history.RefuseDeletions))) }, spec.SimulatedNodes{})

	spec.It("removes an unavailable old pod from an ineligible node and puts no updated one there",
		spec.Decides("SURGE-018"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			closed := nodes[:2]
			c.Bind("closed", closed...)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			rollouts.LoseReadiness(ctx, c, daemonSet, closed...)
			rollouts.TaintNodes(ctx, c, closed...)
			c.Await(ctx, Quiet(time.Second))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, state.When("the closed nodes have no pod", func(cluster *history.Cluster) bool {
				return len(cluster.PodsOn(daemonSet.UID, closed[0])) == 0 && len(cluster.PodsOn(daemonSet.UID, closed[1])) == 0
			}))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			for _, closed := range j.BoundAll("closed") {
				j.Decide("SURGE-018", AtLeast(1, PodDeleted(OfVersion("v1")).On(closed)), Never(PodCreated(OfVersion("v2")).On(closed)))
			}
		}, spec.SimulatedNodes{})

	spec.It("removes an unavailable pod from an ineligible node once a roll-back has made it an old one, and puts none of the restored template there",
		spec.Decides("SURGE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, before, Image("v2"), NeverReady())
			first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady)
			closed := history.NodeOf(first)
			c.Bind("closed", closed)
			c.Pods.BecomeReady(ctx, first)
			c.Require(ctx, "the first updated pod is alone on its node", state.When("node "+closed+" has one pod", func(cluster *history.Cluster) bool {
				return len(cluster.PodsOn(updated.UID, closed)) == 1
			}))
			c.Pods.BecomeUnready(ctx, first)
			rollouts.TaintNodes(ctx, c, closed)
			c.Await(ctx, Quiet(time.Second))
			c.Mark(rolledBack)
			restored := c.Update(ctx, updated, Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *before.Spec.Template.DeepCopy() }})
			c.Await(ctx, rollouts.NoPodOn(restored, closed))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			j.Given(AtLeast(1, Marked(rolledBack)), NeverBetween(Done(history.TaintNode), Marked(rolledBack), PodDeleted().On(closed)))
			j.Decide("SURGE-018", AtLeast(1, PodDeleted(OfVersion("v2")).On(closed)), Never(After(PodCreated(OfVersion("v1")).On(closed), Marked(rolledBack))))
		}, spec.SimulatedNodes{})

	spec.It("removes an old pod from an ineligible node that is Ready and not yet available",
		spec.Decides("SURGE-018"),
		func(ctx context.Context, c *spec.Case) {
			nodes, daemonSet := deployYoung(ctx, c, 3, 1, "1")
			c.Bind("closed", nodes[0])
			rollouts.TaintNodes(ctx, c, nodes[0])
			c.Await(ctx, Quiet(time.Second))
			updated := stall(ctx, c, daemonSet, 1)
			c.Await(ctx, rollouts.NoPodOn(updated, nodes[0]))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			j.Decide("SURGE-018", AtLeast(1, PodDeleted(OfVersion("v1")).On(closed)), Never(PodCreated(OfVersion("v2")).On(closed)))
		}, spec.SimulatedNodes{})
}

// deployYoung deploys a DaemonSet to n nodes. The pods of the first of them are Ready, and for an hour to come not available; the others are.
func deployYoung(ctx context.Context, c *spec.Case, n, young int, maxSurge string) (nodes []string, daemonSet *appsv1.DaemonSet) {
	nodes = c.AddNodes(ctx, n)
	daemonSet = c.Deploy(ctx, MaxSurge(maxSurge))
	rollouts.LongReady(ctx, c, c.LivePods(ctx, daemonSet)[young:]...)
	daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(rollouts.Hour))
	c.Require(ctx, "the controller has seen the new minReadySeconds", Processed(daemonSet))
	return nodes, daemonSet
}

// handOverBeside makes one updated pod after the other available on that many nodes, and waits for the old ones there to go, while the updated pods of the
// young nodes go on not being ready.
func handOverBeside(ctx context.Context, c *spec.Case, updated *appsv1.DaemonSet, young []string, count int) {
	next := []Trait{Running, NotReady}
	for _, node := range young {
		next = append(next, NotOnNode(node))
	}
	for range count {
		pod := c.AwaitUpdated(ctx, updated, next...)
		if pod == nil {
			break
		}
		c.Pods.BecomeReady(ctx, pod)
		rollouts.LongReady(ctx, c, pod)
	}
	c.Await(ctx, handedOver(updated, count))
}
