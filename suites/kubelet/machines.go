package kubelet

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// noticed is how long the cluster takes to know that a node is gone or back: 50 s by default, and some for a slow machine.
const noticed = 80 * time.Second

// The nodes that scenarios choose.
const (
	otherNode = "the other node"
	rebooted  = "the node that reboots"
)

// machines are the specs of nodes that go away in the middle of a rollout.
func machines() {
	spec.It("goes on elsewhere when a node's kubelet stops in mid-rollout, and updates that node when it is back",
		spec.Decides("KUBELET-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), ReadyAfter(2*time.Second))
			down := history.NodeOf(c.RequireUpdated(ctx, "the first updated pod has been created", updated))
			other := otherThan(down, nodes)
			c.StopKubelet(ctx, down)
			requireNode(ctx, c, down, false)
			c.AwaitUpdated(ctx, updated, OnNode(other), history.IsReady)
			c.Await(ctx, oneOn(updated, other))
			c.StartKubelet(ctx, down)
			requireNode(ctx, c, down, true)
			c.Await(ctx, RolledOut(updated))
			c.Bind(otherNode, other)
		},
		func(j *spec.Checks) {
			other, back := j.Bound(otherNode), Began(history.StartKubelet)
			// The kubelet may take longer to stop than the rollout to go on.
			j.Given(NeverBetween(Began(history.UpdateDaemonSet), Done(history.StopKubelet), PodDeleted(OfVersion("v1"))))
			j.Decide("KUBELET-006",
				Before(PodAvailable(OfVersion("v2")).On(other), back),
				Before(PodDeleted(OfVersion("v1")).On(other), back),
				Keeps("SURGE-002"), Keeps("SURGE-009"),
				EndsRolledOut())
		}, spec.Alone{}, spec.RealNodes{})

	spec.It("ends with one updated pod on a node that reboots in mid-rollout",
		spec.Decides("KUBELET-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), ReadyAfter(5*time.Second))
			node := history.NodeOf(c.RequireUpdated(ctx, "the first updated pod has been created", updated))
			c.RebootNode(ctx, node)
			requireNode(ctx, c, node, true)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(2*time.Second))
			c.Bind(rebooted, node)
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Began(history.UpdateDaemonSet), Began(history.RebootNode), PodDeleted(OfVersion("v1")).On(j.Bound(rebooted))))
			j.Decide("KUBELET-007", Keeps("SURGE-009"), EndsRolledOut())
		}, spec.Alone{}, spec.RealNodes{})
}

// oneOn holds while the node has one pod of the DaemonSet.
func oneOn(daemonSet *appsv1.DaemonSet, node string) Condition {
	return state.When("node "+node+" has one pod", func(cluster *history.Cluster) bool { return len(cluster.PodsOn(daemonSet.UID, node)) == 1 })
}

// requireNode waits until the cluster knows whether the node is Ready.
func requireNode(ctx context.Context, c *spec.Case, node string, ready bool) {
	known := state.When(fmt.Sprintf("node %s is Ready: %t", node, ready), func(cluster *history.Cluster) bool {
		known := cluster.Nodes[node]
		// One that is Ready again is eligible only once the taints are gone.
		return known != nil && history.NodeReady(known) == ready && (!ready || !slices.ContainsFunc(known.Spec.Taints, isLost))
	})
	c.RequireAfter(ctx, noticed, "the cluster knows of node "+node, known)
}

// isLost reports whether the taint is one that a node gets while the cluster does not hear from it.
func isLost(taint corev1.Taint) bool {
	return taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable
}
