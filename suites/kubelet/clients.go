package kubelet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
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
			measure(ctx, c, "KUBELET-008", OnPort(port), func(revision int) Edit { return HostNetwork(c.Port(1+revision%2), port) })
		}, spec.RealNodes{})

	spec.It("loses no client's request on a socket that the old pod hands over to the updated one",
		spec.Decides("KUBELET-009"),
		func(ctx context.Context, c *spec.Case) {
			path := c.SocketPath()
			measure(ctx, c, "KUBELET-009", OnSocket(path), func(int) Edit { return Socket(path) })
		}, spec.RealNodes{})
}

// measure rolls out under the eyes of clients: with maxSurge, which must cost them nothing, and with maxUnavailable, which must cost them something, or
// they would not notice either. serve is the edit that makes a revision's pods serve the target.
func measure(ctx context.Context, c *spec.Case, id requirements.ID, target Target, serve func(revision int) Edit) {
	nodes := c.AddNodes(ctx, 2)
	daemonSet := c.Deploy(ctx, MaxSurge("1"), serve(1))
	clients := c.StartProbes(ctx, surge, nodes, target)
	rolledOut := c.RollOut(ctx, daemonSet, Image("v2"), serve(2))
	c.Await(ctx, Quiet(time.Second))
	surged := clients.Collect(ctx)
	c.Observe(Requests)
	if rolledOut {
		clients = c.StartProbes(ctx, maxUnavailable, nodes, target)
		c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"), serve(3))
		calibrate(c, surged, clients.Collect(ctx))
	}
	c.Decide(id,
		NoRequestFailed(surge),
		// Both ends of the rollout are inside what was measured.
		Before(Nth(1, StimulusIs("start probes")), PodCreated(OfVersion("v2"))),
		Before(Last(PodGone(OfVersion("v1"))), Measured(surge)),
		expect.RolledOut())
}

// calibrate ends the spec if its clients lost nothing, but may only not have looked: because they made too few requests while pods surged, or because
// they would not have seen a gap, as they saw none where there was one on every node.
func calibrate(c *spec.Case, surged, gapped []history.Measurement) {
	if slices.ContainsFunc(surged, func(m history.Measurement) bool { return m.Failed > 0 }) {
		return
	}
	for _, m := range surged {
		if m.Sent < fewest {
			c.CannotDecide(fmt.Sprintf("the client on node %s made %d requests, and less than %d say nothing", m.Node, m.Sent, fewest))
		}
	}
	for _, m := range gapped {
		if m.Failed == 0 {
			c.CannotDecide(fmt.Sprintf("the client on node %s lost no request to a rollout that leaves a gap: it would not see one elsewhere", m.Node))
		}
	}
}
