package surge

import (
	"context"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// ineligible are the specs of nodes that should not, or should no longer, run the daemon.
func ineligible() {
	spec.It("goes on with the other nodes when one becomes ineligible in mid-rollout",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			// As long as no updated pod is ready nothing happens on the other nodes, so none of them has one when it is closed.
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			surging := history.NodeOf(c.RequireUpdated(ctx, "the first updated pod runs", updated, Running, NotReady))
			closed := nodes[slices.IndexFunc(nodes, func(node string) bool { return node != surging })]
			c.EditNode(ctx, "taint", closed, taint)
			c.Await(ctx, Quiet(time.Second))
			c.BecomeReadyInTurn(ctx, updated, len(nodes)-1)
			c.Await(ctx, RolledOutOnEligible(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("SURGE-017",
				expect.RolledOut(),
				Never(PodCreated(OfVersion("v2")).On(closed)),
				Never(PodDeleted(OfVersion("v1")).On(closed).Where("available, with no more available pods than desired", func(o Occurrence) bool {
					return o.WasAvailable() && o.AvailableBefore() <= o.Desired()
				})))
		}, spec.SimulatedNodes{})

	spec.It("removes an unavailable old pod from an ineligible node and puts no updated one there",
		spec.Decides("SURGE-018"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.EditNode(ctx, "taint", nodes[0], taint)
			c.Await(ctx, Quiet(time.Second))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("SURGE-018",
				Exactly(1, PodDeleted(OfVersion("v1")).On(nodes[0])),
				Never(PodCreated(OfVersion("v2")).On(nodes[0])),
				expect.RolledOut())
		}, spec.SimulatedNodes{})

	spec.It("does nothing without an eligible node, and starts when one appears",
		spec.Decides("SURGE-019"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("25%")))
			c.Require(ctx, "the controller has seen the DaemonSet", Processed(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the update", Processed(updated))
			c.Await(ctx, Quiet(time.Second))
			c.AddNodes(ctx, 2)
			c.Await(ctx, RolledOut(updated))
			c.Decide("SURGE-019",
				NeverBetween(StimulusIs("create DaemonSet"), First(StimulusIs("add node")), PodCreated()),
				Exactly(2, PodCreated(OfVersion("v2"))),
				expect.RolledOut())
		})
}
