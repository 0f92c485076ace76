package kubelet

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What a scenario does while clients measure.
const (
	surge          = "surge"
	maxUnavailable = "maxUnavailable"
)

// fewest is the least number of requests, on each node, that say something about a rollout: a client makes about 200 a second.
const fewest = 200

// clients are the specs of zero downtime as a client sees it.
func clients() {
	spec.It("loses no client's request on a port that old and updated pods share",
		spec.Decides("KUBELET-008"),
		func(ctx context.Context, c *spec.Case) {
			port := c.Port(0)
			// Pods that run side by side share the port, and need a control port each.
			measure(ctx, c, OnPort(port), func(revision int) Edit { return HostNetwork(c.Port(1+revision%2), port) })
		},
		losesNothing("KUBELET-008"), spec.RealNodes{})

	spec.It("loses no client's request on a socket that the old pod hands over to the updated one",
		spec.Decides("KUBELET-009"),
		func(ctx context.Context, c *spec.Case) {
			path := c.SocketPath()
			measure(ctx, c, OnSocket(path), func(int) Edit { return Socket(path) })
		},
		losesNothing("KUBELET-009"), spec.RealNodes{})
}

// measure rolls out under the eyes of clients: with maxSurge, which must cost them nothing, and with maxUnavailable, which must cost them something, or
// they would not notice either. serve is the edit that makes a revision's pods serve the target.
func measure(ctx context.Context, c *spec.Case, target Target, serve func(revision int) Edit) {
	nodes := c.AddNodes(ctx, 2)
	daemonSet := c.Deploy(ctx, MaxSurge("1"), serve(1))
	clients := c.StartProbes(ctx, surge, nodes, target)
	rolledOut := c.RollOut(ctx, daemonSet, Image("v2"), serve(2))
	c.Await(ctx, Quiet(time.Second))
	clients.Collect(ctx)
	if rolledOut {
		clients = c.StartProbes(ctx, maxUnavailable, nodes, target)
		c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"), serve(3))
		clients.Collect(ctx)
	}
}

// losesNothing asks that the surge cost no client a request. A client that saw no gap where there was one on every node, or made too few requests, has
// not shown it; one that lost a request has, whatever else it saw.
func losesNothing(id requirements.ID) func(*spec.Checks) {
	return func(j *spec.Checks) {
		j.Observe(Requests)
		// Both ends of the rollout are inside what was measured.
		j.Given(
			Before(Nth(1, Done(history.StartProbes)), PodCreated(OfVersion("v2"))),
			Before(Last(PodGone(OfVersion("v1"))), Measured(surge)))
		j.Decide(id, NoRequestFailed(surge), Tested(RequestsSent(surge, fewest)), Tested(RequestsLost(maxUnavailable)), EndsRolledOut())
	}
}
