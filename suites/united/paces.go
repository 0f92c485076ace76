package united

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// paces are the specs of moves that meet something else that takes nodes out, or another limit. What is wrong there is for the rule to say.
func paces() {
	spec.It("moves no node while another one's pod, of nobody who moves, is not Ready and uses up maxUnavailable, and goes on once it is",
		spec.Decides("UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "nowhere"))
			placed(ctx, c)
			unready := c.LivePodOn(ctx, ds, nodes[2])
			rollouts.LoseReadiness(ctx, c, ds, nodes[2])
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.Pods.BecomeReady(ctx, unready)
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(united)))
			j.Decide("UNITED-027", endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("moves no node while another one's pod terminates, though it is Ready until it is gone, and goes on once that is replaced",
		spec.Decides("UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "nowhere"))
			placed(ctx, c)
			going := c.LivePodOn(ctx, ds, nodes[2])
			c.Pods.HoldTermination(ctx, going)
			c.DeletePod(ctx, going, time.Minute)
			c.Await(ctx, Quiet(judge.Lag))
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.Pods.ReleaseTermination(ctx, going)
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.DeletePod)), AtLeast(1, Done(history.UpdateUnited)))
			j.Decide("UNITED-027", endsPlaced(), NeverBetween(Began(history.UpdateUnited), Marked(united), PodDeleted().On(j.Bound(moved))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("takes no more nodes out than maxUnavailable where that takes the place of maxSurge while nodes change hands",
		spec.Decides("UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			ds := c.Deploy(ctx, MaxSurge("2"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch(stages.MissingTag)), zone, "a"))
			// Nobody has to move both at once.
			c.Require(ctx, "a pod of the subset waits for its image beside one of the target", state.Any(waitOn(nodes[0]), waitOn(nodes[1])))
			c.Await(ctx, state.All(state.Any(waitOn(nodes[:2]...), Quiet(spec.AtOnce)), Quiet(silence)))
			c.Mark(united)
			c.Await(ctx, Processed(c.Update(ctx, ds, MaxUnavailable("1"))))
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(changed)))
			j.Decide("UNITED-027", endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("takes no more nodes out than the maxUnavailable that the target is given while nodes change hands",
		spec.Decides("UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "a", "a", "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("2"), ReadyAfter(leisurely))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Require(ctx, "the first nodes change hands", state.All(leaving(ds), strategyIs(2)))
			c.Update(ctx, ds, MaxUnavailable("1"))
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(Done(history.UpdateDaemonSet), Done(history.CreateUnited))))
			j.Decide("UNITED-027", endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// leisurely is how long pods take to become Ready: longer than it takes until everybody knows of another limit.
const leisurely = 3 * judge.Lag

// cordoned is the spec of moves, and of a rollout in a subset of several nodes, while nodes are cordoned.
func cordoned() {
	spec.It("moves nodes, and rolls another patch out to them, within maxUnavailable while one that moves and one that stays are cordoned",
		spec.Decides("UNITED-027", "CROSS-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Cordon(ctx, nodes[0])
			c.Cordon(ctx, nodes[3])
			c.Await(ctx, Quiet(judge.Lag))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v3")), zone, "a"))
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.UpdateUnited)))
			j.Decide("UNITED-027", endsPlaced())
			j.Decide("CROSS-006", endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// closing is the spec of a node that comes to repel the pods while it changes hands.
func closing() {
	spec.It("goes on with another node when the one that changes hands comes to repel the pods, where the target surges",
		spec.Decides("UNITED-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			ds := c.Deploy(ctx, MaxSurge("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch(stages.MissingTag)), zone, "a"))
			c.Require(ctx, "a pod of the subset waits for its image beside one of the target", state.Any(waitOn(nodes[0]), waitOn(nodes[1])))
			c.Await(ctx, Quiet(silence))
			closed, open := nodes[0], nodes[1]
			c.Look(ctx, func(cluster *history.Cluster) {
				if !waitOn(closed).Holds(cluster) {
					closed, open = open, closed
				}
			})
			c.Bind(moved, open)
			rollouts.TaintNodes(ctx, c, closed)
			c.Await(ctx, Quiet(silence))
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Await(ctx, servedOn(open, "v2"))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.TaintNode)))
			j.Decide("UNITED-006", HoldsAtMark(changed, servedOn(j.Bound(moved), "v2")))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// endsPlaced asks that every node has the pod that it should have in the end.
func endsPlaced() Matcher { return ComesToHold(state.UnitedPlaced(name)) }

// waitOn holds when a pod on each of the nodes waits for its image.
func waitOn(nodes ...string) state.Condition {
	return state.When("a pod on each of the nodes waits for its image", func(cluster *history.Cluster) bool {
		waiting := map[string]bool{}
		for _, pod := range cluster.Pods {
			waiting[history.NodeOf(pod)] = waiting[history.NodeOf(pod)] || Waiting(pod)
		}
		for _, node := range nodes {
			if !waiting[node] {
				return false
			}
		}
		return true
	})
}
