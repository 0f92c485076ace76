package inplace

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// kubelets is the spec of what only a kubelet shows.
func kubelets() {
	spec.It("has kubelets restart the containers whose images changed, and no others",
		spec.Decides("INPLACE-016", "INPLACE-017"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, Sidecar())
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-016", Tested(OnEveryNode(AtLeast(2, restartedIn("daemon")))), Never(restartedIn("sidecar")))
			j.Decide("INPLACE-017", append(stayed(begun), EndsRolledOut(), OnEveryNode(AtLeast(2, restartedIn("daemon"))))...)
		}, spec.RealNodes{})

	spec.It("measures what clients on the nodes lose by an update in place, by recreation and by surge",
		spec.Decides("INPLACE-017"),
		func(ctx context.Context, c *spec.Case) {
			port := c.Port(0)
			serving := HostNetwork(c.Port(1), port)
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, c.InPlaceIfPossible(), MaxUnavailable("1"), serving)
			c.Mark(begun)
			rollOut := func(during string, edits ...Edit) {
				clients := c.StartProbes(ctx, during, nodes, OnPort(port))
				c.RollOut(ctx, daemonSet, edits...)
				c.Await(ctx, Quiet(time.Second))
				clients.Collect(ctx)
			}
			rollOut(updatedInPlace, Image("v2"))
			c.Mark(next)
			rollOut("recreation", c.Recreate(), Image("v3"))
			if c.Claims(requirements.Surge) {
				// Pods that run side by side need a control port each.
				rollOut("surge", MaxSurge("1"), Image("v4"), HostNetwork(c.Port(2), port))
			}
		},
		func(j *spec.Checks) {
			j.Observe(Requests)
			j.Decide("INPLACE-017", Tested(RequestsSent(updatedInPlace, fewest)), EndsRolledOut(), OnEveryNode(AtLeast(1, PodPatched(OfVersion("v2")))),
				NeverBetween(Marked(begun), Marked(next), PodDeleted()), NeverBetween(Marked(begun), Marked(next), PodCreated()))
		}, spec.RealNodes{})
}

// updatedInPlace is what the scenario calls the first of the rollouts that clients measure.
const updatedInPlace = "update in place"

// fewest is the least number of requests, on each node, that say something about a rollout: a client makes about 200 a second.
const fewest = 200
