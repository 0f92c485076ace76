package united

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// underWay is the spec of a target that is being rolled out when it is united.
func underWay() {
	spec.It("restarts no pod of the target for its affinity, not even one that is not Ready, and goes on with the rollout that is under way",
		spec.Decides("UNITED-013", "UNITED-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			updated := c.Update(ctx, ds, Image("v2"), NeverReady())
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, Running, NotReady))
			first := c.RequireUpdated(ctx, "one pod is updated, and is not Ready", updated, Running, NotReady)
			c.Bind(none, history.NodeOf(first))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v3")), zone, "nowhere"))
			c.Await(ctx, state.All(hasAffinity(), strategyIs(1)))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.Pods.BecomeReady(ctx, first)
			c.BecomeReadyInTurn(ctx, updated, len(nodes)-1)
			placed(ctx, c)
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.BecomeReady)))
			j.Decide("UNITED-013", AtLeast(1, touched()), NeverBetween(Began(history.CreateUnited), Marked(united), PodDeleted().On(j.Bound(none))))
			j.Decide("UNITED-014", HoldsAtMark(again, state.UnitedPlaced(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// hasAffinity holds when the target has a node affinity.
func hasAffinity() state.Condition {
	return state.Right("the target has a node affinity", func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, target)
		if ds == nil || ds.Spec.Template.Spec.Affinity == nil {
			return fmt.Errorf("it has none")
		}
		return nil
	})
}

// successors is the spec of a UnitedDaemonSet that has the name of one that is gone.
func successors() {
	spec.It("makes the subsets of a UnitedDaemonSet that has the name of one that is gone, and that had other subsets",
		spec.Decides("UNITED-015", "UNITED-017"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			// The generation of the one that is to come is lower.
			u = c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v3")), zone, "a"))
			placed(ctx, c)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target)))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.Unite(ctx, ds, Where(Subset("second", c.ImagePatch("v4")), zone, "b"))
			placed(ctx, c)
			c.Await(ctx, state.UnitedDaemonSets(name))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedGone(name, target)))
			j.Decide("UNITED-015", HoldsAtMark(again, state.UnitedDaemonSets(name)), HoldsAtMark(again, state.UnitedPlaced(name)))
			j.Decide("UNITED-017", HoldsAtMark(again, state.UnitedObserved(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}
