package unready

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The DaemonSets of the scenario below.
const (
	first  = "first"
	second = "second"
)

// others is the spec of a node on which two DaemonSets lose an old pod.
func others() {
	spec.It("gives a node an updated pod of each of two DaemonSets whose old pods stop being Ready there, while both rollouts are paused",
		spec.Decides("UNREADY-001", "PAUSE-005", "PAUSE-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			one, other := c.Create(ctx, c.NewDaemonSet(first, MaxSurge("1"))), c.Create(ctx, c.NewDaemonSet(second, MaxSurge("1")))
			c.Require(ctx, "the pods of both are available", state.All(Steady(one), Steady(other)))
			one, other = rollouts.Stall(ctx, c, one, "v2", 1), rollouts.Stall(ctx, c, other, "v2", 1)
			node := untouchedByBoth(ctx, c, one, other)
			c.Bind(lost, node)
			rollouts.LoseReadiness(ctx, c, one, node)
			c.Await(ctx, UpdatedOn(1, one, OnNode(node)))
			rollouts.LoseReadiness(ctx, c, other, node)
			c.Await(ctx, UpdatedOn(1, other, OnNode(node)))
		},
		func(j *spec.Checks) {
			node := j.Bound(lost)
			for _, name := range []string{first, second} {
				of := OfDaemonSet(name)
				for _, id := range []requirements.ID{"UNREADY-001", "PAUSE-005", "PAUSE-008"} {
					j.Decide(id, Within(spec.AtOnce, PodUnready(of, OfVersion("v1")).On(node), PodCreated(of, OfVersion("v2")).On(node)))
				}
			}
		})
}

// untouchedByBoth returns a node of three to which neither rollout has come, of which each surges on one.
func untouchedByBoth(ctx context.Context, c *spec.Case, one, other *appsv1.DaemonSet) string {
	nodes := sets.New(rollouts.Untouched(ctx, c, one, 2)...)
	return sets.List(nodes.Intersection(sets.New(rollouts.Untouched(ctx, c, other, 2)...)))[0]
}
