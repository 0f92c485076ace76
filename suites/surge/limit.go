package surge

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in scenarios of this family.
const (
	joining history.Mark = "nodes join"
	left    history.Mark = "nodes have left"
	enough  history.Mark = "one node surges"
)

// limit are the specs of how many nodes maxSurge lets surge at once. Their updated pods never become ready, so the surge pods that the controller
// creates stay, and can be counted. Nobody has to use the limit up.
func limit() {
	for _, row := range rollouts.Roundings() {
		spec.It(fmt.Sprintf("rounds %s of %d nodes up to %d", row.Percentage, row.Nodes, row.Allowed),
			spec.Decides("SURGE-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, row.Nodes)
				stall(ctx, c, c.Deploy(ctx, MaxSurge(row.Percentage)), row.Allowed)
			},
			func(j *spec.Checks) {
				updated := PodCreated(OfVersion("v2"))
				// One surge at least is allowed, so no old pod has to go first.
				j.Decide("SURGE-003",
					AtLeast(1, updated), UpTo(row.Allowed, updated),
					NeverBetween(TemplateChanged(), First(updated), PodDeleted(OfVersion("v1"))))
			})
	}

	spec.It("keeps to each of many limits of five nodes, numbers and percentages, that change with the template",
		spec.Decides("SURGE-003"),
		func(ctx context.Context, c *spec.Case) { rollouts.EveryLimit(ctx, c, MaxSurge) },
		func(j *spec.Checks) { j.Decide("SURGE-003", Keeps("SURGE-002")) }, spec.SimulatedNodes{})
}

// percentages are the specs of percentages of a number of nodes that changes.
func percentages() {
	spec.It("takes the percentage of the eligible nodes, and again when nodes join",
		spec.Decides("SURGE-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 10)
			c.AddNodes(ctx, 3, rollouts.Taint)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("25%")), 3)
			c.Mark(joining)
			c.AddNodes(ctx, 4)
			rollouts.Settle(ctx, c, updated, UpdatedOn(8, updated))
		},
		func(j *spec.Checks) {
			// 25% of 10 eligible nodes is 3, of all 13 it would be 4; of 14 it is 4. A node that just joined takes nothing of it.
			j.Decide("SURGE-004",
				AtLeast(1, besideOld()),
				UpTo(3, Between(besideOld(), TemplateChanged(), Marked(joining))),
				AtMost(4, besideOld()))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that the DaemonSet selects, and again when another joins",
		spec.Decides("SURGE-004"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 2, Later: 1})
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("50%")), 1)
			c.Mark(joining)
			c.AddNodes(ctx, 1)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
		},
		func(j *spec.Checks) {
			// 50% of 2 nodes is 1; of all nodes, where the cluster has others, it would be more. Of 3 it is 2. The node that joined takes nothing of it.
			j.Decide("SURGE-004",
				AtLeast(1, besideOld()),
				UpTo(1, Between(besideOld(), TemplateChanged(), Marked(joining))),
				AtMost(2, besideOld()))
		})

	spec.It("takes the percentage again when a cordoned node is deleted while nodes surge, and surges no further before fewer of them do",
		spec.Decides("SURGE-004", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			// 25% of 5 is 2, and of 4 it is 1.
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("25%")), 2)
			closed := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Cordon(ctx, closed)
			// Something to look at, while the node is like that.
			c.RequireReconciled(ctx, updated)
			rollouts.Remove(ctx, c, closed)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(left)
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, handedOver(updated, 1))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(enough)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(Before(Nth(2, besideOld()), Marked(left)))
			j.Decide("SURGE-004", NeverBetween(Marked(left), Marked(enough), besideOld()))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage again when nodes become ineligible",
		spec.Decides("SURGE-004", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 10)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("25%")), 3)
			// 25% of 5 is 2: once one of the three that surge is done, the limit is still used up.
			rollouts.TaintNodes(ctx, c, rollouts.Untouched(ctx, c, updated, 5)...)
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(left)
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, handedOver(updated, 1))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(PodDeleted(OfVersion("v1")), Marked(left))))
			j.Decide("SURGE-004", UpTo(3, besideOld()))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that are left when others have been deleted, although their pods are still there",
		spec.Decides("SURGE-004", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("50%"))
			for _, node := range nodes[:2] {
				rollouts.Remove(ctx, c, node)
			}
			c.Await(ctx, Quiet(2*time.Second))
			// 50% of 2 is 1. The pod garbage collector lets the others' pods be for 40 seconds.
			stall(ctx, c, daemonSet, 1)
		},
		func(j *spec.Checks) {
			// That the others go on at all is TARGET-006.
			j.Decide("SURGE-004", Tested(AtLeast(1, besideOld())), UpTo(1, besideOld()))
		}, spec.SimulatedNodes{})

	spec.It("takes the percentage of the nodes that are left when others were deleted while no controller ran",
		spec.Decides("SURGE-004", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 6)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("50%")), 3)
			rollouts.RemoveMeanwhile(ctx, c, updated, rollouts.Others(nodes, rollouts.Untouched(ctx, c, updated, 3)...)...)
		},
		func(j *spec.Checks) {
			// 50% of 3 is 2, of the 6 that the status still tells of when the controller begins it would be 3.
			left := After(besideOld(), Began(history.RestartImplementation))
			j.Decide("SURGE-004", Tested(AtLeast(1, left)), UpTo(2, left))
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// beyond are the specs of a limit above the number of nodes.
func beyond() {
	spec.It("surges on every node when maxSurge is no less than their number",
		spec.Decides("SURGE-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			stall(ctx, c, c.Deploy(ctx, MaxSurge("5")), 3)
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-005", AtLeast(1, PodCreated(OfVersion("v2"))), OnEveryNode(UpTo(1, PodCreated(OfVersion("v2")))))
		})

	spec.It("rolls out with the largest maxSurge that the API server takes",
		spec.Decides("SURGE-005"),
		func(ctx context.Context, c *spec.Case) {
			// Whoever makes room for as many pods as that may find none.
			if c.Shares() {
				c.NotPossible("an implementation may end by it, and others use it after that")
			}
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge(strconv.Itoa(math.MaxInt32)))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			updated := PodCreated(OfVersion("v2")).BesideLivePod()
			j.Given(AtLeast(1, TemplateChanged()))
			// Whether a controller ends by it may be a matter of the machine's memory, so no core requirement is decided by it.
			j.Decide("SURGE-005", AtLeast(1, updated), Before(First(PodAvailable(OfVersion("v2"))), First(PodDeleted(OfVersion("v1")))), EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.Alone{}, spec.OneCause{})
}

// stall is rollouts.Stall to v2.
func stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes int) *appsv1.DaemonSet {
	return rollouts.Stall(ctx, c, daemonSet, "v2", nodes)
}
