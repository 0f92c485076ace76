package target

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// joined are the nodes that join.
const joined = "the nodes that join during the rollout"

// joining are the specs of nodes that join during a rollout.
func joining() {
	for _, strategy := range strategies() {
		spec.It("makes a pod of the current revision on a node that joins during the rollout, with "+strategy.with,
			spec.Decides("TARGET-004"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, strategy.edit), "v2", 1)
				first := c.AddNodes(ctx, 1)
				c.Await(ctx, UpdatedOn(1, stalled, OnNode(first[0])))
				// The rollout gives way to another, which is the current one then.
				again := rollouts.Stall(ctx, c, stalled, "v3", 1)
				second := c.AddNodes(ctx, 1)
				c.Await(ctx, UpdatedOn(1, again, OnNode(second[0])))
				c.Bind(joined, first[0], second[0])
			},
			func(j *spec.Checks) {
				first, second := j.BoundAll(joined)[0], j.BoundAll(joined)[1]
				j.Decide("TARGET-004",
					Within(spec.AtOnce, NodeEligible().On(first), PodCreated(OfVersion("v2")).On(first)),
					Within(spec.AtOnce, NodeEligible().On(second), PodCreated(OfVersion("v3")).On(second)),
					Never(PodCreated(OfVersion("v1")).On(first)),
					Never(PodCreated(OfVersion("v1")).On(second)), Never(PodCreated(OfVersion("v2")).On(second)))
			}, spec.SimulatedNodes{})
	}

	spec.It("makes a pod on a node that comes to be selected while one that the rollout replaces is terminating",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2, rollouts.InPool)
			outside := c.AddNodes(ctx, 1)[0]
			c.Bind(joined, outside)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			old := c.LivePods(ctx, daemonSet)
			for _, pod := range old {
				c.Pods.HoldTermination(ctx, pod)
			}
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "an old pod is on its way out", state.Any(Leaving(old[0]), Leaving(old[1])))
			rollouts.JoinPool(ctx, c, outside)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(outside)))
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("TARGET-002", Within(spec.AtOnce, NodeEligible().On(j.Bound(joined)), PodCreated(OfVersion("v2")).On(j.Bound(joined))), EndsRolledOut())
		}, spec.SimulatedNodes{})

	spec.It("makes no pod of a template before on a node that joins while the history of the current one is refused",
		spec.Decides("TARGET-004", "ROLLOVER-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			c.RefuseRevisions(ctx)
			newest := c.Update(ctx, stalled, Image("v3"), Healthy())
			// By then everybody knows of the template.
			c.Await(ctx, Past(time.Now().Add(late)))
			c.Bind(joined, c.AddNodes(ctx, 1)...)
			// Long enough for who tries again to have come to the node, and not for delays to become long.
			c.Await(ctx, Past(time.Now().Add(2*late)))
			c.AdmitRevisions(ctx)
			c.Await(ctx, RolledOut(newest))
		},
		func(j *spec.Checks) {
			node := j.Bound(joined)
			intermediate := Never(PodCreated(OfVersion("v2")).On(node))
			j.Decide("TARGET-004", AtLeast(1, PodCreated(OfVersion("v3")).On(node)), Never(PodCreated(OfVersion("v1")).On(node)), intermediate)
			j.Decide("ROLLOVER-001", intermediate, EndsRolledOut())
		}, spec.SimulatedNodes{})
}
