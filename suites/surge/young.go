package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// young are the specs of updated pods that are Ready, and not available for as long as the scenario takes.
func young() {
	spec.It("keeps the old pods beside updated ones that are Ready and not yet available, through a restart and when surge is switched off",
		spec.Decides("SURGE-006", "SURGE-021"),
		func(ctx context.Context, c *spec.Case) {
			updated := updateYoung(ctx, c, 2)
			c.Require(ctx, "a node surges, and its updated pod is Ready", UpdatedOn(1, updated, history.IsReady))
			c.Await(ctx, Quiet(2*time.Second))
			c.Kill(ctx)
			c.Restart(ctx)
			c.RequireReconciled(ctx, updated)
			c.Await(ctx, Quiet(3*time.Second))
			// It becomes available: the node is handed over, and the other's turn comes.
			if first := c.AwaitUpdated(ctx, updated, history.IsReady); first != nil {
				rollouts.LongReady(ctx, c, first)
				c.Await(ctx, handedOver(updated, 1))
			}
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated, history.IsReady))
			c.Mark(switched)
			without := c.Update(ctx, updated, MaxUnavailable("1"))
			c.Await(ctx, PodsPerNode(without, 1))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(switched)))
			j.Decide("SURGE-021",
				Never(After(PodDeleted(), Marked(switched)).Where("available, in favour of one that is not", sacrificed)),
				AtLeast(1, After(PodDeleted(), Marked(switched))))
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("keeps an old pod beside an updated one whose minReadySeconds pass while it is terminating",
		spec.Decides("SURGE-016", "AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			updated := updateYoung(ctx, c, 1)
			leaving := c.RequireUpdated(ctx, "the updated pod is Ready", updated, history.IsReady)
			c.Pods.HoldTermination(ctx, leaving)
			c.DeletePod(ctx, leaving, 30*time.Second)
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.LongReady(ctx, c, leaving)
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.ReleaseTermination(ctx, leaving)
			if replacement := c.AwaitUpdated(ctx, updated, history.IsReady); replacement != nil {
				rollouts.LongReady(ctx, c, replacement)
			}
			c.Await(ctx, RolledOut(updated))
		}, nil, spec.SimulatedNodes{})

	spec.It("keeps the old pod of a node that becomes ineligible while the pod of one that joined is Ready and not yet available",
		spec.Decides("SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			updated := updateYoung(ctx, c, 2)
			c.Require(ctx, "a node surges, and its updated pod is Ready", UpdatedOn(1, updated, history.IsReady))
			joined := c.AddNodes(ctx, 1)[0]
			c.Require(ctx, "the pod of the node that joined is Ready", UpdatedOn(1, updated, OnNode(joined), history.IsReady))
			closed := rollouts.Untouched(ctx, c, updated, 1)
			c.Bind("closed", closed...)
			rollouts.TaintNodes(ctx, c, closed...)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range c.LivePods(ctx, updated) {
				rollouts.LongReady(ctx, c, pod)
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.TaintNode)))
			j.Decide("SURGE-017", Never(neededDeleted("v1").On(j.Bound("closed"))))
		}, spec.SimulatedNodes{})
}

// updateYoung begins a rollout on so many nodes whose pods are available and whose updated pods will not be.
func updateYoung(ctx context.Context, c *spec.Case, nodes int) *appsv1.DaemonSet {
	c.AddNodes(ctx, nodes)
	daemonSet := c.Deploy(ctx, MaxSurge("1"))
	rollouts.LongReady(ctx, c, c.LivePods(ctx, daemonSet)...)
	return c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(rollouts.Hour))
}
