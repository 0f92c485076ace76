package avail

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// finished is where the rollout of the scenarios below may go on to its end.
const finished history.Mark = "the updated pods may become Ready"

// withTemplate are the specs of minReadySeconds that change in one request with the template.
func withTemplate() {
	spec.It("surges within maxSurge where the request that changes the template lowers minReadySeconds, so that the old pods are available",
		spec.Decides("AVAIL-007", "SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			waiting := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), MinReadySeconds(hour))
			c.Require(ctx, "the controller has seen the longer minReadySeconds", Processed(waiting))
			updated := c.Update(ctx, waiting, Image("v2"), NeverReady(), MinReadySeconds(0))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			c.Mark(finished)
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			created := PodCreated(OfVersion("v2"))
			j.Decide("AVAIL-007", Tested(AtLeast(1, created)), NeverBetween(TemplateChanged(), Marked(finished), Nth(2, created)))
			j.Decide("SURGE-002", Keeps("SURGE-002"), EndsRolledOut())
		}, spec.SimulatedNodes{})

	spec.It("gives every node an updated pod beyond maxSurge where the request that changes the template raises minReadySeconds, so that no old pod is available",
		spec.Decides("AVAIL-007", "UNREADY-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			c.Bind(waits, nodes...)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady(), MinReadySeconds(hour))
			c.Await(ctx, UpdatedOn(len(nodes), updated))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(waits) {
				// The history of the new template comes first: no pod may be created before (HISTORY-008).
				created := Within(spec.AtOnce, Nth(2, RevisionCreated()), PodCreated(OfVersion("v2")).On(node))
				j.Decide("AVAIL-007", created)
				j.Decide("UNREADY-010", created)
			}
		})
}

// whileWaiting is the spec of minReadySeconds that become more while a rollout waits for its first node.
func whileWaiting() {
	spec.It("gives every node an updated pod beyond maxSurge once minReadySeconds are raised while one node surges, so that no old pod is available any more",
		spec.Decides("AVAIL-007", "UNREADY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			c.Bind(waits, rollouts.Untouched(ctx, c, updated, 2)...)
			c.Mark(raising)
			c.Await(ctx, UpdatedOn(3, c.Update(ctx, updated, MinReadySeconds(hour))))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(waits) {
				created := Within(spec.AtOnce, After(Respecified(), Marked(raising)), PodCreated(OfVersion("v2")).On(node))
				j.Decide("AVAIL-007", created)
				j.Decide("UNREADY-010", created)
			}
		})
}

// raising is where minReadySeconds are about to be raised.
const raising history.Mark = "minReadySeconds are about to be raised"

// waits are the nodes whose old pods are not available any more.
const waits = "the nodes whose old pods have yet to become available"
