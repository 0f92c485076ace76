package surge

import (
	"context"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in scenarios of nodes that become ineligible.
const (
	// closing is where the last eligible nodes do.
	closing history.Mark = "the last nodes become ineligible"
	// passed is where a rollout is through, but for the nodes that cannot be.
	passed history.Mark = "the rollout has passed the ineligible node"
)

// ineligible are the specs of nodes that should not, or should no longer, run the daemon.
func ineligible() {
	spec.It("goes on with the other nodes when some become ineligible during the rollout",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			// As long as no updated pod is ready nothing happens on the other nodes, so none of them has one when it is closed.
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			first := rollouts.Untouched(ctx, c, updated, 1)
			rollouts.TaintNodes(ctx, c, first...)
			c.Await(ctx, Quiet(time.Second))
			c.BecomeReadyInTurn(ctx, updated, 1)
			// The next one surges; of the rest another is closed. Where none does, the rollout stands still already.
			var second []string
			if c.AwaitUpdated(ctx, updated, Running, NotReady) != nil {
				second = rollouts.Untouched(ctx, c, updated, 1)
				rollouts.TaintNodes(ctx, c, second...)
				c.Await(ctx, Quiet(time.Second))
			}
			c.Bind("closed", slices.Concat(first, second)...)
			rollouts.Finish(ctx, c, updated)
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-017", EndsRolledOut())
			for _, closed := range j.BoundAll("closed") {
				j.Decide("SURGE-017", Never(PodCreated(OfVersion("v2")).On(closed)), Never(neededDeleted("v1").On(closed)))
			}
		}, spec.SimulatedNodes{})

	spec.It("lets another node surge when the one that does becomes ineligible",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			surging := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			closed := history.NodeOf(surging)
			c.Bind("closed", closed)
			rollouts.TaintNodes(ctx, c, closed)
			c.Await(ctx, Quiet(2*time.Second))
			// Nobody has to delete the updated pod there; whoever keeps it has the slot in use for as long as it lives.
			kept := false
			c.Look(ctx, func(cluster *history.Cluster) { kept = cluster.Pods[surging.UID] != nil })
			if kept {
				c.DeletePod(ctx, surging, 0)
			}
			c.Await(ctx, UpdatedOn(1, updated, NotOnNode(closed)))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			elsewhere := PodCreated(OfVersion("v2")).Where("on another node than "+closed, func(m Moment) bool { return history.NodeOf(m.Pod()) != closed })
			j.Decide("SURGE-017", AtLeast(1, After(elsewhere, Began(history.TaintNode))), Never(neededDeleted("v1").On(closed)))
		}, spec.SimulatedNodes{})

	spec.It("goes on although an ineligible node has an old pod that is needed, and removes that once it is not Ready",
		spec.Decides("SURGE-017", "SURGE-018"),
		func(ctx context.Context, c *spec.Case) {
			// That the first node takes nothing of maxSurge is another requirement, so there is one more.
			nodes, daemonSet := deployYoung(ctx, c, 5, 1, "2")
			// The first node has no available pod, so the old pod of the node that is closed is not one too many.
			updated := stall(ctx, c, daemonSet, 3)
			closed := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind("closed", closed)
			c.Bind("open", slices.DeleteFunc(nodes[1:], func(node string) bool { return node == closed })...)
			old := c.LivePodOn(ctx, updated, closed)
			rollouts.TaintNodes(ctx, c, closed)
			c.Await(ctx, Quiet(time.Second))
			handOverBeside(ctx, c, updated, nodes[:1], 3)
			c.Mark(passed)
			c.Pods.BecomeUnready(ctx, old)
			c.Await(ctx, rollouts.NoPodOn(daemonSet, closed))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			for _, open := range j.BoundAll("open") {
				j.Decide("SURGE-017", Tested(Before(PodCreated(OfVersion("v2")).On(open), Marked(passed))))
			}
			j.Decide("SURGE-017", Never(neededDeleted("v1").On(closed)))
			j.Decide("SURGE-018", AtLeast(1, PodDeleted(OfVersion("v1")).On(closed)), Never(PodCreated(OfVersion("v2")).On(closed)))
		}, spec.SimulatedNodes{})

	spec.It("deletes no more old pods of ineligible nodes than can be spared when two become ineligible",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			// One of the nodes that stay has no available pod, so of the two that are closed one is to spare and the other is needed.
			others := rollouts.Untouched(ctx, c, updated, 3)
			rollouts.LoseReadiness(ctx, c, updated, others[0])
			c.Bind("closed", others[1:]...)
			rollouts.TaintNodes(ctx, c, others[1:]...)
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			for _, closed := range j.BoundAll("closed") {
				j.Decide("SURGE-017", Never(PodCreated(OfVersion("v2")).On(closed)), Never(neededDeleted("v1").On(closed)))
			}
		}, spec.SimulatedNodes{})

	spec.It("deletes no old pod of an ineligible node in return for those of nodes that left the selector, where a controller that begins finds all of them",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			const left, tainted, new = 3, 3, 4
			nodes := c.AddNodes(ctx, left+tainted, rollouts.InPool)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
			c.Kill(ctx)
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			rollouts.LeavePool(ctx, c, nodes[:left]...)
			rollouts.TaintNodes(ctx, c, nodes[left:]...)
			c.Bind("closed", nodes[left:]...)
			// Their pods do not become available, so none of those that are is to spare.
			c.AddNodes(ctx, new, rollouts.InPool)
			c.Restart(ctx)
			c.Await(ctx, UpdatedOn(new, updated))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("SURGE-017", AtLeast(1, PodDeleted(OfVersion("v1"))), AtLeast(1, PodCreated(OfVersion("v2"))))
			for _, closed := range j.BoundAll("closed") {
				j.Decide("SURGE-017", Never(neededDeleted("v1").On(closed)))
			}
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("does nothing without an eligible node, and starts when one appears",
		spec.Decides("SURGE-019"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("25%")))
			c.Require(ctx, "the controller has seen the DaemonSet", Processed(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the update", Processed(updated))
			c.Await(ctx, Quiet(2*time.Second))
			nodes := c.AddNodes(ctx, 2)
			c.Await(ctx, RolledOut(updated))
			// And again when the nodes that there were are none any more.
			c.Mark(closing)
			rollouts.TaintNodes(ctx, c, nodes...)
			c.Await(ctx, Quiet(time.Second))
			updated = c.Update(ctx, updated, Image("v3"))
			c.Require(ctx, "the controller has seen the second update", Processed(updated))
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.UntaintNodes(ctx, c, nodes...)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-019",
				NeverBetween(Began(history.CreateDaemonSet), First(Began(history.AddNode)), PodCreated()),
				NeverBetween(Marked(closing), Began(history.UntaintNode), PodCreated(OfVersion("v3"))),
				// It is at work after each.
				AtLeast(2, PodCreated(OfVersion("v2"))),
				EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// neededDeleted is the deletion of an available pod of the version while no more pods are available than are desired.
func neededDeleted(version string) Event {
	return PodDeleted(OfVersion(version)).Where("available, with no more available pods than desired", func(m Moment) bool {
		return m.WasAvailable() && m.AvailableBefore() <= m.Desired()
	})
}
