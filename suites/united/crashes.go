package united

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// crashes is the spec of a controller that is killed at work.
func crashes() {
	spec.It("finishes after a crash what it had begun, whenever that was, deletions included, restarts no pod twice, and puts back what somebody changed meanwhile",
		spec.Decides("UNITED-027", "UNITED-041"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(moved, nodes[:2]...)
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Require(ctx, "the first node changes hands", leaving(ds))
			c.Kill(ctx)
			c.Restart(ctx)
			placed(ctx, c)
			c.Mark(united)
			subset := onlySubset(ctx, c)
			before := whole(subset)
			c.Bind(subsetBefore, before)
			c.Kill(ctx)
			c.Update(ctx, subset, editedLabels(), Edit{Says: "another revisionHistoryLimit", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.RevisionHistoryLimit = ptr.To(*d.Spec.RevisionHistoryLimit + 1)
			}})
			c.Restart(ctx)
			c.Await(ctx, subsetIs(before))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(restoredSubset)
			c.Kill(ctx)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Restart(ctx)
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target)))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-041",
				HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(restoredSubset, subsetIs(j.Bound(subsetBefore))),
				HoldsAtMark(again, state.UnitedGone(name, target)), HoldsAtMark(again, servedBy(target)))
			for _, node := range j.BoundAll(moved) {
				j.Decide("UNITED-041", Exactly(1, PodCreated(OfVersion("v2")).On(node)))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.Alone{}, spec.AppsV1{})
}

// suspended is the spec of a controller that is killed while the target's rollouts are suspended for the affinity that it is given.
func suspended() {
	spec.It("gives the target its update strategy back that the process before it has suspended",
		spec.Decides("UNITED-041"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			suspend(ctx, c, ds)
			c.Kill(ctx)
			c.AdmitRevisions(ctx)
			c.Restart(ctx)
			c.Await(ctx, state.All(state.UnitedPlaced(name), strategyIs(1)))
			placed(ctx, c)
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("UNITED-041", HoldsAtMark(again, state.UnitedPlaced(name)), HoldsAtMark(again, strategyIs(1)))
		}, spec.SimulatedNodes{}, kinds(), spec.Alone{}, spec.AppsV1{})
}

// withdrawn is the spec of a UnitedDaemonSet that goes while the target's rollouts are suspended for it.
func withdrawn() {
	spec.It("gives the target its update strategy back when it is deleted while the target is suspended",
		spec.Decides("UNITED-020"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			before := remember(ctx, c)
			u := suspend(ctx, c, ds)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, Quiet(silence))
			c.AdmitRevisions(ctx)
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target), before))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			// Whoever has not begun by then has nothing to give back, and the target is to be as it was all the same.
			j.Given(AtLeast(1, Done(history.DeleteUnited)))
			j.Decide("UNITED-020", HoldsAtMark(again, restored(j.Bound(firstSpec))), HoldsAtMark(again, servedBy(target)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// suspend has a subset of the target, and the target's rollouts suspended until histories are admitted: without one nothing shows that its affinity has been
// taken note of.
func suspend(ctx context.Context, c *spec.Case, ds *appsv1.DaemonSet) *history.UnitedDaemonSet {
	c.RefuseRevisions(ctx)
	u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
	c.Await(ctx, updatedByHand())
	c.Await(ctx, Quiet(silence))
	return u
}

// leaving holds when a pod of the DaemonSet terminates, or is gone.
func leaving(ds *appsv1.DaemonSet) state.Condition {
	return state.When("a node has no live pod of the target any more", func(cluster *history.Cluster) bool {
		for node := range cluster.Nodes {
			live := false
			for _, pod := range cluster.PodsOn(ds.UID, node) {
				live = live || history.IsLive(pod)
			}
			if !live {
				return true
			}
		}
		return false
	})
}

// subsetBefore is the subset's DaemonSet before somebody edits it while nobody is at work, and restoredSubset is when that is expected to be back.
const (
	subsetBefore                = "the subset's DaemonSet"
	restoredSubset history.Mark = "the subset's DaemonSet has been put back"
)

// onlySubset is the DaemonSet of the only subset that there is.
func onlySubset(ctx context.Context, c *spec.Case) *appsv1.DaemonSet {
	var found []*appsv1.DaemonSet
	c.Look(ctx, func(cluster *history.Cluster) { found = subsetsIn(cluster) })
	if len(found) != 1 {
		c.CannotDecide(fmt.Sprintf("there are %d DaemonSets of subsets, not one", len(found)))
	}
	return found[0].DeepCopy()
}

func subsetsIn(cluster *history.Cluster) (all []*appsv1.DaemonSet) {
	for _, united := range cluster.United() {
		all = append(all, cluster.FamilyOf(united).Subsets...)
	}
	return all
}

// whole is what of a subset's DaemonSet nobody else is to change.
func whole(subset *appsv1.DaemonSet) string { return encoded([]any{subset.Labels, subset.Spec}) }

// subsetIs holds when the DaemonSet of each subset is like that.
func subsetIs(first string) state.Condition {
	return state.Right("the subset's DaemonSet is what it was", func(cluster *history.Cluster) error {
		subsets := subsetsIn(cluster)
		if len(subsets) == 0 {
			return fmt.Errorf("there is none")
		}
		for _, subset := range subsets {
			if now := whole(subset); now != first {
				return fmt.Errorf("it is %s, and was %s", now, first)
			}
		}
		return nil
	})
}

// editedLabels gives every label of a DaemonSet another value.
func editedLabels() Edit {
	return Edit{Says: "other labels of the DaemonSet", Apply: func(d *appsv1.DaemonSet) {
		for key := range d.Labels {
			d.Labels[key] = "edited"
		}
	}}
}

// subsetLabels are those of the subset's DaemonSet before somebody edits them, and relabelled is when they are expected to be back.
const (
	subsetLabels              = "labels of the subset's DaemonSet"
	relabelled   history.Mark = "the labels have been put back"
)

// subsetLabelled holds when the DaemonSet of each subset has these labels.
func subsetLabelled(first string) state.Condition {
	return state.Right("the subset's DaemonSet has the labels that it had", func(cluster *history.Cluster) error {
		subsets := subsetsIn(cluster)
		if len(subsets) == 0 {
			return fmt.Errorf("there is none")
		}
		for _, subset := range subsets {
			if now := encoded(subset.Labels); now != first {
				return fmt.Errorf("it has %s, and had %s", now, first)
			}
		}
		return nil
	})
}

// hands is the spec of edits by hand.
func hands() {
	spec.It("puts back what somebody changes by hand in the DaemonSet of a subset, and in the labels that it gives nodes, and that DaemonSet when somebody deletes it",
		spec.Decides("UNITED-015", "UNITED-041"),
		func(ctx context.Context, c *spec.Case) {
			// Of one zone: nothing but the labels that they are given tells them apart.
			nodes := addNodes(ctx, c, "a", "a")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			var before map[string]string
			c.Look(ctx, func(cluster *history.Cluster) { before = cluster.Nodes[nodes[0]].Labels })
			c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(united)
			subset := onlySubset(ctx, c)
			c.Await(ctx, Processed(c.Update(ctx, subset, Image("v5"))))
			c.Await(ctx, Quiet(time.Second))
			placed(ctx, c)
			c.Mark(changed)
			labels := encoded(subset.Labels)
			c.Bind(subsetLabels, labels)
			var unedited string
			c.Look(ctx, func(cluster *history.Cluster) { unedited = cluster.DaemonSets[subset.UID].ResourceVersion })
			edited := c.Update(ctx, subset, editedLabels())
			// A label raises no generation.
			c.Require(ctx, "the edit is recorded", state.When("the subset's DaemonSet is another one than before", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[edited.UID]
				return now != nil && now.ResourceVersion != unedited
			}))
			c.Await(ctx, subsetLabelled(labels))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(relabelled)
			c.EditNode(ctx, history.EditNode, nodes[0], func(node *corev1.Node) { node.Labels = before })
			c.Await(ctx, Quiet(time.Second))
			c.Await(ctx, state.All(state.UnitedPlaced(name), state.UnitedLabelled(name)))
			placed(ctx, c)
			c.Mark(again)
			var labelled map[string]string
			c.Look(ctx, func(cluster *history.Cluster) { labelled = cluster.Nodes[nodes[0]].Labels })
			c.Bind(nodeLabels, encoded(labelled))
			c.EditNode(ctx, history.EditNode, nodes[0], func(node *corev1.Node) { meaningless(node.Labels, before) })
			c.Await(ctx, Quiet(time.Second))
			c.Await(ctx, state.All(state.UnitedPlaced(name), unlabelled(nodes[0], encoded(labelled))))
			placed(ctx, c)
			c.Bind(moved, nodes[0])
			c.Mark(mislabelled)
			c.DeleteDaemonSet(ctx, subset, metav1.DeletePropagationBackground)
			c.Await(ctx, Quiet(time.Second))
			placed(ctx, c)
			c.Await(ctx, state.UnitedDaemonSets(name))
			c.Mark(back)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(united, state.UnitedLabelled(name)))
			j.Decide("UNITED-015", HoldsAtMark(back, state.UnitedDaemonSets(name)), HoldsAtMark(back, state.UnitedPlaced(name)))
			j.Decide("UNITED-041",
				HoldsAtMark(changed, state.UnitedPlaced(name)),
				HoldsAtMark(relabelled, subsetLabelled(j.Bound(subsetLabels))), HoldsAtMark(relabelled, state.UnitedPlaced(name)), HoldsAtMark(relabelled, state.UnitedDaemonSets(name)),
				HoldsAtMark(again, state.UnitedPlaced(name)), HoldsAtMark(again, state.UnitedLabelled(name)),
				HoldsAtMark(mislabelled, state.UnitedPlaced(name)), HoldsAtMark(mislabelled, unlabelled(j.Bound(moved), j.Bound(nodeLabels))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// nodeLabels are those of a node before somebody gives them values that nobody knows, and mislabelled is when they are expected to be back.
const (
	nodeLabels               = "labels of the subset's node"
	mislabelled history.Mark = "the values that mean nothing have been put back"
)

// meaningless gives the labels that the node has not had before a value that is nobody's.
func meaningless(labels, before map[string]string) {
	for key := range labels {
		if _, had := before[key]; !had {
			labels[key] = "nobody"
		}
	}
}
