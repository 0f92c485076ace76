package united

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// orphaned is the spec of a UnitedDaemonSet that is deleted, and whose dependents the garbage collector lets go, while nobody is at work.
func orphaned() {
	spec.It("leaves the DaemonSets of subsets running when it was deleted as an owner of orphans while the controller was down",
		spec.Decides("UNITED-041"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(united)
			c.Bind(orphan, onlySubset(ctx, c).Name)
			c.Kill(ctx)
			c.Separate(ctx, u, metav1.DeletePropagationOrphan)
			c.Await(ctx, letGo())
			c.Restart(ctx)
			c.Await(ctx, withoutUnited())
			c.Await(ctx, Quiet(spec.AtOnce))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-041", NeverBetween(Marked(united), Marked(again), PodDeleted()), NeverBetween(Marked(united), Marked(again), PodCreated()),
				HoldsAtMark(again, withoutUnited()), HoldsAtMark(again, stays(j.Bound(orphan))))
		}, spec.SimulatedNodes{}, kinds(), spec.Alone{}, spec.AppsV1{})
}

// orphan is the DaemonSet of the subset, which nobody owns afterwards.
const orphan = "the subset's DaemonSet"

// stays holds while there is a DaemonSet of the name, and it is not being deleted.
func stays(name string) state.Condition {
	return state.When("DaemonSet "+name+" is there, and stays", func(cluster *history.Cluster) bool {
		ds := daemonSet(cluster, name)
		return ds != nil && ds.DeletionTimestamp == nil
	})
}

// withoutUnited holds when there is no UnitedDaemonSet.
func withoutUnited() state.Condition {
	return state.When("the UnitedDaemonSet is gone", func(cluster *history.Cluster) bool { return len(cluster.United()) == 0 })
}

// letGo holds when every DaemonSet but the target is without an owner, and nothing says any more that they are to be let go.
func letGo() state.Condition {
	return state.Right("the DaemonSets of subsets have no owner", func(cluster *history.Cluster) error {
		for _, u := range cluster.United() {
			for _, finalizer := range u.Finalizers {
				if finalizer == metav1.FinalizerOrphanDependents {
					return fmt.Errorf("the garbage collector is not done")
				}
			}
		}
		for _, ds := range cluster.DaemonSets {
			if ds.Name != target && len(ds.OwnerReferences) > 0 {
				return fmt.Errorf("DaemonSet %s has one", ds.Name)
			}
		}
		return nil
	})
}

// chosenMeanwhile is the spec of an update strategy that the target is given while its rollouts are suspended for the affinity that it is given.
func chosenMeanwhile() {
	spec.It("leaves the target the update strategy that somebody gives it while its rollouts are suspended",
		spec.Decides("UNITED-032"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			suspend(ctx, c, ds)
			c.Update(ctx, ds, MaxUnavailable("2"))
			c.Await(ctx, Quiet(silence))
			c.AdmitRevisions(ctx)
			c.Await(ctx, state.All(state.UnitedPlaced(name), strategyIs(2)))
			placed(ctx, c)
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.AdmitRevisions)))
			j.Decide("UNITED-032", HoldsAtMark(again, state.UnitedPlaced(name)), HoldsAtMark(again, strategyIs(2)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// role is the label of the nodes that the target is for.
const role = "role"

// foreignNodes is the spec of a node of a subset that is no longer one of the target's.
func foreignNodes() {
	spec.It("has the pod of its subset on a node that has left the target and come back in another one, and takes its labels from nodes that have left when it is deleted",
		spec.Decides("UNITED-008", "UNITED-020"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			c.Bind(moved, nodes[0])
			c.Bind(byName, nodes[1])
			serve := func(node string) {
				c.EditNode(ctx, history.LabelNode, node, func(node *corev1.Node) { node.Labels[role] = "daemon" })
			}
			leave := func(node string) {
				c.EditNode(ctx, history.LabelNode, node, func(node *corev1.Node) { delete(node.Labels, role) })
			}
			// Others label nodes that are new.
			c.Await(ctx, Quiet(judge.Lag))
			before := rememberLabels(ctx, c)
			for _, node := range nodes {
				serve(node)
			}
			ds := c.Deploy(ctx, MaxUnavailable("1"), ofRole())
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"), Where(Subset("second", c.ImagePatch("v3")), zone, "b"))
			placed(ctx, c)
			c.Mark(united)
			leave(nodes[0])
			c.Await(ctx, empty(nodes[0]))
			c.Await(ctx, Quiet(silence))
			relabel(ctx, c, nodes[0], "b")
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
			serve(nodes[0])
			placed(ctx, c)
			c.Mark(back)
			relabel(ctx, c, nodes[0], "a")
			placed(ctx, c)
			for _, node := range nodes {
				leave(node)
			}
			c.Await(ctx, state.All(empty(nodes[0]), empty(nodes[1]), empty(nodes[2])))
			c.Await(ctx, Quiet(silence))
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedGone(name, target), before))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(changed, empty(j.Bound(moved))))
			j.Decide("UNITED-008", HoldsAtMark(back, state.UnitedPlaced(name)), NeverBetween(Marked(changed), Marked(back), PodCreated(OfVersion("v2")).On(j.Bound(moved))))
			for _, node := range append(j.BoundAll(moved), j.BoundAll(byName)...) {
				j.Decide("UNITED-020", HoldsAtMark(again, unlabelled(node, j.Bound(firstLabels+" "+node))))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// ofRole has the pods run on nodes alone that have the role.
func ofRole() Edit {
	return Edit{Says: "nodes with a role", Apply: func(d *appsv1.DaemonSet) {
		selector := &d.Spec.Template.Spec.NodeSelector
		if *selector == nil {
			*selector = map[string]string{}
		}
		(*selector)[role] = "daemon"
	}}
}

// empty holds when there is no pod on the node.
func empty(node string) state.Condition {
	return state.When("node "+node+" has no pod", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if history.NodeOf(pod) == node {
				return false
			}
		}
		return true
	})
}
