package rolling

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// second is where a further rollout begins.
const second history.Mark = "the second rollout begins"

// rollout are the specs of a rollout that nothing disturbs.
func rollout() {
	spec.It("replaces every pod, one deletion and one creation each",
		spec.Decides("ROLLING-001", "ROLLING-018"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 4})
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-001", EndsRolledOut())
			j.Decide("ROLLING-018", OnEveryNode(UpTo(1, PodDeleted())), OnEveryNode(UpTo(1, PodCreated(OfVersion("v2")))))
		}, spec.MainPath{})

	spec.It("keeps its limits at every instant, with pods that are slow to start and slow to end, with minReadySeconds and without",
		spec.Decides("ROLLING-002", "ROLLING-013", "STATUS-006", "STATUS-007", "STATUS-013"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 6})
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"), MinReadySeconds(1), DrainFor(time.Second))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.RollOut(ctx, daemonSet, Image("v3"), MinReadySeconds(0))
		}, nil)

	spec.It("deletes one of two pods on a node",
		spec.Decides("ROLLING-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind("node", nodes[0])
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			rollouts.Twin(ctx, c, c.LivePodOn(ctx, daemonSet, nodes[0]), "twin")
			c.Await(ctx, PodsSeen(daemonSet, 3))
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-013", Within(spec.AtOnce, PodCreated(Named("twin")), PodDeleted().On(j.Bound("node"))))
		}, spec.SimulatedNodes{})

	spec.It("takes down the next pod only when the one before has been replaced by an available one",
		spec.Decides("ROLLING-005", "ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), MinReadySeconds(2))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"), MinReadySeconds(0), ReadyAfter(500*time.Millisecond))
			// A template that was rolled out before is rolled out as any other, once the old pods have been Ready for as long as the new ones have to be.
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(second)
			c.RollOut(ctx, daemonSet, Image("v2"), MinReadySeconds(2), Healthy())
		},
		func(j *spec.Checks) {
			versions := []string{"v1", "v2", "v3"}
			for i, updated := range versions[1:] {
				available, deleted := PodAvailable(OfVersion(updated)), PodDeleted(OfVersion(versions[i]))
				j.Decide("ROLLING-005",
					Before(Nth(1, available), Nth(2, deleted)),
					Before(Nth(2, available), Nth(3, deleted)))
			}
			again := After(PodAvailable(OfVersion("v2")), Marked(second))
			j.Decide("ROLLING-005",
				Before(Nth(1, again), Nth(2, PodDeleted(OfVersion("v3")))),
				Before(Nth(2, again), Nth(3, PodDeleted(OfVersion("v3")))))
			j.Decide("ROLLING-001", EndsRolledOut())
		})

	spec.It("may replace all pods at once when maxUnavailable covers every node",
		spec.Decides("ROLLING-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := len(c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 4}))
			daemonSet := c.Deploy(ctx, MaxUnavailable("100%"))
			daemonSet = stall(ctx, c, daemonSet, "v2", nodes)
			// What is not available may be replaced whatever the limit is.
			rollouts.Finish(ctx, c, daemonSet)
			c.Mark(second)
			c.Update(ctx, daemonSet, MaxUnavailable("7"))
			stall(ctx, c, daemonSet, "v3", nodes)
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-014",
				AtLeast(1, PodDeleted(OfVersion("v1"))), OnEveryNode(UpTo(1, PodDeleted(OfVersion("v1")))),
				AtLeast(1, After(PodDeleted(), Marked(second))), OnEveryNode(UpTo(1, PodDeleted(OfVersion("v2")))))
		})
}
