package unready

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// updatedOnly is the spec of nodes that have no old pod any more.
func updatedOnly() {
	spec.It("makes no second pod on a node whose only pod is updated and stops being Ready",
		spec.Decides("UNREADY-011"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			c.Bind(afterwards, nodes[2])
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1"), rollouts.TolerateDown()), "v2", 1)
			first := c.AwaitUpdated(ctx, updated, Running, NotReady)
			if first == nil {
				c.CannotDecide("no updated pod runs")
			}
			c.Pods.BecomeReady(ctx, first)
			c.Require(ctx, "the first node is done", alone(updated, first))
			c.Bind(during, first.Spec.NodeName)
			c.Pods.BecomeUnready(ctx, first)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.BecomeReady(ctx, first)
			if !rollouts.Finish(ctx, c, updated) {
				return
			}
			c.Mark(finished)
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, updated, nodes[2]))
			c.Await(ctx, Quiet(3*time.Second))
			// A pod is no less there for its node not being heard from.
			c.NodeDown(ctx, nodes[2])
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("UNREADY-011",
				Never(After(PodCreated().On(j.Bound(during)), Began(history.BecomeUnready))),
				Tested(AtLeast(1, Marked(finished))), Never(After(PodCreated().On(j.Bound(afterwards)), Marked(finished))))
		}, spec.SimulatedNodes{})
}

// What the scenario of updatedOnly chooses, and where in it the rollout is over.
const (
	during     = "the node whose updated pod stops being Ready during the rollout"
	afterwards = "the node whose updated pod stops being Ready after it"

	finished history.Mark = "the rollout is finished"
)

// alone holds when the pod is the only one of the DaemonSet on its node.
func alone(daemonSet *appsv1.DaemonSet, pod *corev1.Pod) Condition {
	return state.When("pod "+pod.Name+" is the only one on its node", func(cluster *history.Cluster) bool {
		pods := cluster.PodsOn(daemonSet.UID, history.NodeOf(pod))
		return len(pods) == 1 && pods[0].UID == pod.UID
	})
}
