package pause

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What the scenarios below choose.
const (
	lost   = "the node whose old pod is lost"
	joined = "the node that joins"
)

// meanwhile is the spec of what a pause does not keep waiting.
func meanwhile() {
	spec.It("replaces a pod that stops being Ready, and fills a node that joins, during a pause",
		spec.Decides("PAUSE-005", "PAUSE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 3, Later: 1})
			updated := pause(ctx, c, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady())
			node := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind(lost, node)
			rollouts.LoseReadiness(ctx, c, updated, node)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
			added := c.AddNodes(ctx, 1)[0]
			c.Bind(joined, added)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(added)))
		},
		func(j *spec.Checks) {
			node, added := j.Bound(lost), j.Bound(joined)
			j.Given(within()...)
			j.Decide("PAUSE-005", Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(node), PodCreated(OfVersion("v2")).On(node)))
			j.Decide("PAUSE-006", Within(spec.AtOnce, NodeEligible().On(added), PodCreated(OfVersion("v2")).On(added)))
		})
}

// stalledMeanwhile is the spec of a pause of which the DaemonSet says that it does not end by itself.
func stalledMeanwhile() {
	spec.It("replaces a pod that stops being Ready during a pause that is reported as a stall",
		spec.Decides("PAUSE-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			before := c.Deploy(ctx, MaxSurge("1"))
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := rollouts.Unscheduled(ctx, c, before, 1)
			report.Await(ctx, c)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(still))
			c.Mark(over)
			node := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind(lost, node)
			rollouts.LoseReadiness(ctx, c, updated, node)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
		},
		func(j *spec.Checks) {
			node := j.Bound(lost)
			j.Given(within()...)
			j.Decide("PAUSE-005", Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(node), PodCreated(OfVersion("v2")).On(node)))
		}, spec.SimulatedNodes{}, spec.Long{})
}

// begun is where a rollout begins that will stall.
const begun history.Mark = "the rollout begins"

// The DaemonSets of the scenario below.
const (
	paused = "daemon"
	other  = "other"
)

// others is the spec of another DaemonSet on the same nodes.
func others() {
	spec.It("rolls another DaemonSet out and replaces a pod of it while one is paused",
		spec.Decides("PAUSE-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			healthy := c.Create(ctx, c.NewDaemonSet(other, MaxSurge("1")))
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Require(ctx, "the other DaemonSet is available", Steady(healthy))
			pause(ctx, c, daemonSet, Image("v2"), NeverReady())
			healthy = c.Update(ctx, healthy, Image("v3"))
			c.Await(ctx, RolledOut(healthy))
			pods := c.LivePods(ctx, healthy)
			if len(pods) > 0 {
				c.DeletePod(ctx, pods[0], 30*time.Second)
				gone := state.When("the deleted pod is gone", func(cluster *history.Cluster) bool { return cluster.Pods[pods[0].UID] == nil })
				c.Await(ctx, state.All(gone, RolledOut(healthy)))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfDaemonSet(paused), OfVersion("v2"))), Never(PodDeleted(OfDaemonSet(paused))))
			begun := After(PodCreated(OfDaemonSet(other), OfVersion("v3")), Marked(over))
			j.Decide("PAUSE-008",
				// No pod is made before the history of its template (HISTORY-008).
				Within(spec.AtOnce, First(After(RevisionCreated(), Marked(over))), First(begun)), ComesToHold(state.DaemonSetRolledOut(other)), Tested(AtLeast(1, Done(history.DeletePod))))
		})
}
