package target

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What scenarios choose.
const (
	// staying are the nodes that the rollout has to come to.
	staying = "the nodes that stay"
	going   = "the node that is being deleted"
)

// leaving are the specs of nodes that leave during a rollout, by their label and altogether.
func leaving() {
	for _, strategy := range strategies() {
		spec.It("goes on with the rollout when nodes leave the selector, the one that held it back among them, with "+strategy.with,
			spec.Decides("TARGET-005"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 4, rollouts.InPool)
				daemonSet := c.Deploy(ctx, strategy.edit, rollouts.OnPool())
				leave(ctx, c, daemonSet, nodes, func(node string) {
					// What is left there takes its time to go.
					for _, pod := range podsOn(ctx, c, daemonSet, node) {
						c.Pods.HoldTermination(ctx, pod)
					}
					rollouts.LeavePool(ctx, c, node)
				})
			}, goesOn("TARGET-005", history.LabelNode), spec.SimulatedNodes{})

		spec.It("goes on with the rollout when nodes are deleted, the one that held it back among them, with "+strategy.with,
			spec.Decides("TARGET-006"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 4)
				daemonSet := c.Deploy(ctx, strategy.edit)
				leave(ctx, c, daemonSet, nodes, func(node string) { rollouts.Remove(ctx, c, node) })
			}, goesOn("TARGET-006", history.DeleteNode), spec.SimulatedNodes{})

		// Whoever empties machines before they go keeps their nodes like that for as long as it takes.
		spec.It("updates and replaces the pod of a node that is being deleted and that a finalizer holds back, with "+strategy.with,
			spec.Decides("TARGET-001"),
			func(ctx context.Context, c *spec.Case) {
				const nodes = 3
				held := c.AddNodes(ctx, nodes)[0]
				c.Bind(going, held)
				daemonSet := c.Deploy(ctx, strategy.edit)
				rollouts.BeginToRemove(ctx, c, held)
				c.Await(ctx, Quiet(late))
				updated := c.Update(ctx, daemonSet, Image("v2"))
				if !c.Await(ctx, RolledOut(updated)) {
					return
				}
				deleted := c.LivePodOn(ctx, updated, held)
				c.DeletePod(ctx, deleted, time.Second)
				c.Await(ctx, UpdatedOn(nodes, updated, func(pod *corev1.Pod) bool { return pod.UID != deleted.UID }))
				c.Await(ctx, RolledOut(updated))
			},
			func(j *spec.Checks) {
				j.Decide("TARGET-001",
					NeverBetween(Done(history.DeleteNode), TemplateChanged(), PodDeleted().On(j.Bound(going))),
					AtLeast(2, PodCreated(OfVersion("v2")).On(j.Bound(going))), EndsRolledOut())
			}, spec.SimulatedNodes{})
	}
}

// resting is the spec of a node that leaves while the controller backs off from pods that failed there.
func resting() {
	spec.It("takes the old pod from a node that leaves the selector while updated ones keep failing there",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1, rollouts.InPool)[0]
			daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
			failing := c.Update(ctx, daemonSet, Image("v2"), Failing())
			// Where the delay doubles from a second the next pod comes after sixteen. Where it grows otherwise there may be less to wait for.
			c.Await(ctx, state.Any(PodsSeen(failing, manyFailed), Past(time.Now().Add(manyFailedWithin))))
			rollouts.LeavePool(ctx, c, node)
			c.Await(ctx, noneLive(failing, node))
		}, nil, spec.SimulatedNodes{})
}

// A controller whose delay doubles from a second makes the sixth pod on a node after fifteen seconds, and the seventh after thirty-one.
const (
	manyFailed       = 6
	manyFailedWithin = 20 * time.Second
)

// noneLive holds when the node has no pod of the DaemonSet that runs, or is to.
func noneLive(daemonSet *appsv1.DaemonSet, node string) Condition {
	return state.When("node "+node+" has no live pod", func(cluster *history.Cluster) bool {
		return !slices.ContainsFunc(cluster.PodsOn(daemonSet.UID, node), history.IsLive)
	})
}

// leave begins a rollout that stands still, makes the node where it does and one that it has not come to leave, and makes the others' updated pods ready.
func leave(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes []string, gone func(node string)) {
	stalled := rollouts.Stall(ctx, c, daemonSet, "v2", 1)
	untouched := rollouts.Untouched(ctx, c, stalled, 1)[0]
	first := c.AwaitUpdated(ctx, stalled, Running, NotReady)
	if first == nil {
		c.CannotDecide("no updated pod runs")
	}
	left := []string{first.Spec.NodeName, untouched}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return slices.Contains(left, node) })
	c.Bind(staying, nodes...)
	for _, node := range left {
		gone(node)
	}
	for range nodes {
		pod := c.AwaitUpdated(ctx, stalled, Running, NotReady, NotOnNode(left[0]), NotOnNode(left[1]))
		if pod == nil {
			return
		}
		c.Pods.BecomeReady(ctx, pod)
	}
	c.Await(ctx, noOldOn(stalled, nodes))
}

// goesOn asks that the rollout came to its end on the nodes that stay.
func goesOn(id requirements.ID, act history.Act) func(*spec.Checks) {
	return func(j *spec.Checks) {
		for _, node := range j.BoundAll(staying) {
			j.Decide(id,
				AtLeast(1, After(PodCreated(OfVersion("v2")).On(node), Began(act))),
				AtLeast(1, PodDeleted(OfVersion("v1")).On(node)))
		}
	}
}

// podsOn are the DaemonSet's pods on the node.
func podsOn(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, node string) (pods []*corev1.Pod) {
	c.Look(ctx, func(cluster *history.Cluster) { pods = slices.Clone(cluster.PodsOn(daemonSet.UID, node)) })
	return pods
}

// noOldOn holds when the nodes have no old pod.
func noOldOn(daemonSet *appsv1.DaemonSet, nodes []string) Condition {
	return state.When("the nodes that stay have no old pod", func(cluster *history.Cluster) bool {
		return !slices.ContainsFunc(nodes, func(node string) bool {
			return slices.ContainsFunc(cluster.PodsOn(daemonSet.UID, node), func(pod *corev1.Pod) bool { return !cluster.IsUpdated(pod) })
		})
	})
}
