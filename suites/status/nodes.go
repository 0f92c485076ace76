package status

import (
	"context"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// nodes are the specs of nodes that come to want a pod, and cease to.
func nodes() {
	spec.It("counts the nodes that should run the pod, and those that run one although they should not, as nodes join, change and repel pods",
		spec.Decides("STATUS-001", "STATUS-002", "STATUS-003", "STATUS-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4, rollouts.InPool)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool(), rollouts.TolerateDown())
			joined := c.AddNodes(ctx, 1, rollouts.InPool)
			awaitStatus(ctx, c, daemonSet, desired(5), current(5), misscheduled(0), available(5))
			rollouts.LeavePool(ctx, c, nodes[0])
			awaitStatus(ctx, c, daemonSet, desired(4), current(4), misscheduled(0))
			// Nothing else changes: the pods stay, whether they are Ready or not.
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[2])
			rollouts.TaintNodes(ctx, c, nodes[1], nodes[2])
			awaitStatus(ctx, c, daemonSet, desired(2), current(2), misscheduled(2), available(2))
			rollouts.UntaintNodes(ctx, c, nodes[1])
			awaitStatus(ctx, c, daemonSet, desired(3), current(3), misscheduled(1), available(3))
			rollouts.JoinPool(ctx, c, nodes[0])
			awaitStatus(ctx, c, daemonSet, desired(4), current(4), misscheduled(1), available(4))
			rollouts.LeavePool(ctx, c, nodes[2])
			awaitStatus(ctx, c, daemonSet, desired(4), current(4), misscheduled(0))
			// A node that is down counts, and so does one on which the pod finds no room.
			c.NodeDown(ctx, nodes[1])
			full := c.AddNodes(ctx, 1, rollouts.InPool, rollouts.Full)
			awaitStatus(ctx, c, daemonSet, desired(5), current(5), misscheduled(0))
			rollouts.TaintNodes(ctx, c, full...)
			awaitStatus(ctx, c, daemonSet, desired(4), current(4), misscheduled(1))
			// In the end no node is to run one.
			rollouts.LeavePool(ctx, c, slices.Concat(nodes[:2], nodes[3:], joined, full)...)
			awaitStatus(ctx, c, daemonSet, desired(0), current(0))
		}, nil, spec.SimulatedNodes{}, spec.MainPath{})

	spec.It("counts Ready and available pods by where they are, as other nodes take the place of those that repel pods",
		spec.Decides("STATUS-004", "STATUS-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.TolerateDown())
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[0])
			awaitStatus(ctx, c, daemonSet, desired(3), ready(2), available(2))
			rollouts.TaintNodes(ctx, c, nodes[0])
			awaitStatus(ctx, c, daemonSet, desired(2), ready(2), available(2), misscheduled(1))
			rollouts.TaintNodes(ctx, c, nodes[1])
			awaitStatus(ctx, c, daemonSet, desired(1), ready(1), available(1), misscheduled(2))
			// As many are wanted again as before, and one of these is not Ready.
			rollouts.UntaintNodes(ctx, c, nodes[0])
			awaitStatus(ctx, c, daemonSet, desired(2), ready(1), available(1), misscheduled(1))
		}, nil, spec.SimulatedNodes{})

	spec.It("counts a node once that should have no pod and has two",
		spec.Decides("STATUS-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			surging := c.RequireUpdated(ctx, "a node surges", stalled, Running, NotReady)
			// With one available pod fewer on the other nodes the old pod of the node that is closed is needed.
			rollouts.LoseReadiness(ctx, c, stalled, rollouts.Untouched(ctx, c, stalled, 1)...)
			// The updated one beside it is not, and takes its time to go.
			c.Pods.HoldTermination(ctx, surging)
			rollouts.TaintNodes(ctx, c, history.NodeOf(surging))
			awaitStatus(ctx, c, stalled, desired(2), misscheduled(1))
			c.Pods.ReleaseTermination(ctx, surging)
		}, nil, spec.SimulatedNodes{})

	spec.It("wants a pod on one node fewer once a node is deleted",
		spec.Decides("STATUS-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx)
			for i, node := range nodes[:2] {
				rollouts.Remove(ctx, c, node)
				c.Await(ctx, says(daemonSet, desired(int32(2-i))))
			}
		}, nil, spec.SimulatedNodes{})

	spec.It("does not count a node any more that should run no pod, and has one, once it is deleted",
		spec.Decides("STATUS-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx)
			rollouts.TaintNodes(ctx, c, nodes[1])
			awaitStatus(ctx, c, daemonSet, desired(1), misscheduled(1))
			// Neither its own write nor the nodes of other specs may wake the controller.
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			rollouts.Remove(ctx, c, nodes[1])
			c.Await(ctx, says(daemonSet, desired(1), misscheduled(0)))
		}, nil, spec.Alone{}, spec.SimulatedNodes{})
}
