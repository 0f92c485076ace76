package drain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// taints are the specs of nodes that drive pods away.
func taints() {
	for _, strategy := range rollouts.Strategies() {
		spec.It("takes the pod off a node with a NoExecute taint, makes none there while the taint lasts, and one afterwards, with "+strategy.With,
			spec.Decides("DRAIN-008"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				c.EditNode(ctx, history.TaintNode, nodes[0], expel)
				c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[0]))
				updated := c.Update(ctx, daemonSet, Image("v2"))
				c.Await(ctx, RolledOut(updated))
				c.Await(ctx, Quiet(handOffTime))
				c.EditNode(ctx, history.UntaintNode, nodes[0], admit)
				c.Await(ctx, RolledOut(updated))
				c.Bind(emptied, nodes[0])
			},
			func(j *spec.Checks) {
				node := j.Bound(emptied)
				j.Decide("DRAIN-008",
					// A pod that was created before the taint could be known is evicted like the first one.
					NeverBetween(Done(history.TaintNode), Began(history.UntaintNode), WellAfter(PodCreated().On(node), Done(history.TaintNode))),
					Before(After(PodDeleted().On(node), Began(history.TaintNode)), Began(history.UntaintNode)),
					AtLeast(1, after(history.UntaintNode, node)))
			}, spec.SimulatedNodes{})
	}

	spec.It("takes an updated pod that no node has room for off a node with a NoExecute taint, with the old one beside it",
		spec.Decides("DRAIN-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			large := rollouts.Unscheduled(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			waiting := c.RequireUpdated(ctx, "an updated pod waits for room", large, NotReady)
			node := history.NodeOf(waiting)
			c.EditNode(ctx, history.TaintNode, node, expel)
			c.Await(ctx, rollouts.NoPodOn(large, node))
		},
		func(j *spec.Checks) {
			// The rule asks nothing where pods tolerate the taint themselves, and their template does not.
			j.Decide("DRAIN-008", AtLeast(1, After(PodDeleted(OfVersion("v2")), Began(history.TaintNode))))
		}, spec.SimulatedNodes{})

	spec.It("takes pods that no node has room for off four of five nodes that got a NoExecute taint while no controller ran",
		spec.Decides("DRAIN-008"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			c.Bind(emptied, nodes[1:]...)
			// Kubernetes itself evicts pods that run.
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), rollouts.TooLarge()))
			c.Require(ctx, "each node has a pod", UpdatedOn(len(nodes), daemonSet))
			c.Await(ctx, Quiet(handOffTime))
			rollouts.NeedsScheduler(ctx, c, daemonSet)
			// Whoever is at work sees one node after the other.
			c.Kill(ctx)
			for _, node := range nodes[1:] {
				c.EditNode(ctx, history.TaintNode, node, expel)
			}
			c.Restart(ctx)
			c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[1:]...))
			c.Await(ctx, Quiet(handOffTime))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(emptied) {
				j.Decide("DRAIN-008", AtLeast(1, After(PodDeleted().On(node), Began(history.RestartImplementation))))
			}
		}, spec.Alone{}, spec.SimulatedNodes{})
}

const expelling = "rollcall.dev/expelling"

func expel(node *corev1.Node) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: expelling, Effect: corev1.TaintEffectNoExecute})
}

// admit lets the taint be no more than a preference of the scheduler's. Nothing but its effect changes.
func admit(node *corev1.Node) {
	for i := range node.Spec.Taints {
		if taint := &node.Spec.Taints[i]; taint.Key == expelling {
			taint.Effect, taint.TimeAdded = corev1.TaintEffectPreferNoSchedule, nil
		}
	}
}
