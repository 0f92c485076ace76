package united

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// edits is the spec of changes of the subsets.
func edits() {
	spec.It("follows subsets that are reordered, added, removed and added again, and restarts no pod for an edit that changes nothing",
		spec.Decides("UNITED-010", "UNITED-015", "UNITED-021", "UNITED-028", "UNITED-031"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b", "c")
			c.Bind(none, nodes[3])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			first, second := OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]), Where(Subset("second", c.ImagePatch("v3")), zone, "a", "b")
			u := c.Unite(ctx, ds, first, second)
			placed(ctx, c)
			c.Mark(united)
			c.Subdivide(ctx, u, second, first)
			placed(ctx, c)
			c.Mark(changed)
			// One with nothing in its patch, before the others, and another spelling of what there is.
			c.Subdivide(ctx, u, OnNodes(Subset("same", history.UnitedPatch{}), nodes[3]), Where(second, zone, "b", "a"), first)
			c.Await(ctx, Quiet(silence))
			c.Mark(unchanged)
			c.Subdivide(ctx, u, first)
			placed(ctx, c)
			c.Await(ctx, state.UnitedDaemonSets(name))
			c.Mark(again)
			c.Subdivide(ctx, u, first, second)
			placed(ctx, c)
			c.Await(ctx, state.UnitedDaemonSets(name))
			c.Mark(back)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-015", HoldsAtMark(back, state.UnitedPlaced(name)), HoldsAtMark(back, state.UnitedDaemonSets(name)))
			j.Decide("UNITED-010", HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(changed, state.UnitedPlaced(name)))
			j.Decide("UNITED-021", HoldsAtMark(again, state.UnitedPlaced(name)), HoldsAtMark(again, state.UnitedDaemonSets(name)))
			j.Decide("UNITED-028", Keeps("UNITED-027"))
			j.Decide("UNITED-031",
				NeverBetween(Marked(changed), Marked(unchanged), PodDeleted()),
				NeverBetween(Began(history.CreateUnited), Marked(back), PodDeleted().On(j.Bound(none))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// promoted is the spec of a subset whose patch changes nothing any more since the target has become what it makes of it.
func promoted() {
	spec.It("leaves a subset its nodes and pods when the target becomes what its patch makes, and when the patch is written in another way that makes the same",
		spec.Decides("UNITED-031"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(moved, nodes[2])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			canary := OnNodes(Subset("canary", c.ImagePatch("v2")), nodes[2])
			u := c.Unite(ctx, ds, canary)
			placed(ctx, c)
			c.Mark(united)
			again := OnNodes(Subset("canary", PatchTemplate(with(canary, "metadata", map[string]any{}))), nodes[2])
			u = c.Subdivide(ctx, u, again)
			placed(ctx, c)
			c.Await(ctx, Quiet(silence))
			c.Update(ctx, ds, Image("v2"))
			placed(ctx, c)
			c.Await(ctx, Quiet(silence))
			c.Subdivide(ctx, u, canary)
			c.Await(ctx, Quiet(silence))
			c.Mark(unchanged)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, exactlyOn("v2", j.Bound(moved))))
			j.Decide("UNITED-031", NeverBetween(Marked(united), Marked(unchanged), PodDeleted().On(j.Bound(moved))), HoldsAtMark(unchanged, state.UnitedPlaced(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// with is the subset's patch with one more field.
func with(subset history.UnitedSubset, field string, value any) map[string]any {
	var patch map[string]any
	// It has been encoded here.
	_ = json.Unmarshal(subset.Patch.Template.Raw, &patch)
	patch[field] = value
	return patch
}

// emptied is the spec of a subset that loses the last of its nodes.
func emptied() {
	spec.It("takes the pod from a subset's last node, and reports none any more, when the node loses the label that the subset selects",
		spec.Decides("UNITED-006", "UNITED-018"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Mark(united)
			c.EditNode(ctx, history.LabelNode, nodes[0], func(node *corev1.Node) { delete(node.Labels, zone) })
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, exactlyOn("v2", j.Bound(moved))))
			j.Decide("UNITED-006", HoldsAtMark(changed, state.UnitedPlaced(name)))
			j.Decide("UNITED-018", HoldsAtMark(changed, state.UnitedReported(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// Names of what is bound of the target as it was at first.
const (
	firstSpec   = "the target's spec"
	firstLabels = "labels of node"
	revision    = "the target's ControllerRevision"
)

// remember binds what the target and its nodes are, and returns what holds when they are so again.
func remember(ctx context.Context, c *spec.Case) state.Condition {
	found := map[string]string{}
	c.Look(ctx, func(cluster *history.Cluster) {
		ds := daemonSet(cluster, target)
		found[firstSpec], found[revision] = encoded(ds.Spec), newest(cluster, ds)
	})
	for name, value := range found {
		c.Bind(name, value)
	}
	return state.All(restored(found[firstSpec]), rememberLabels(ctx, c))
}

// rememberLabels binds what labels the nodes have, and returns what holds when they have these again.
func rememberLabels(ctx context.Context, c *spec.Case) state.Condition {
	found := map[string]string{}
	c.Look(ctx, func(cluster *history.Cluster) {
		for name, node := range cluster.Nodes {
			found[name] = encoded(node.Labels)
		}
	})
	var again []state.Condition
	for node, labels := range found {
		c.Bind(firstLabels+" "+node, labels)
		again = append(again, unlabelled(node, labels))
	}
	return state.All(again...)
}

// newest is the name of the DaemonSet's ControllerRevision with the highest number.
func newest(cluster *history.Cluster, ds *appsv1.DaemonSet) string {
	name, number := "", int64(-1)
	for _, revision := range cluster.Revisions {
		if owner := revision.OwnerReferences; len(owner) == 1 && owner[0].UID == ds.UID && revision.Revision > number {
			name, number = revision.Name, revision.Revision
		}
	}
	return name
}

// restored holds when the target's spec is what it was.
func restored(first string) state.Condition {
	return state.Right("the target's spec is what it was", func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, target)
		var before appsv1.DaemonSetSpec
		if err := json.Unmarshal([]byte(first), &before); err != nil {
			return err
		}
		switch {
		case ds == nil:
			return fmt.Errorf("there is no target")
		case !equality.Semantic.DeepEqual(ds.Spec.UpdateStrategy, before.UpdateStrategy):
			return fmt.Errorf("its update strategy is %s", encoded(ds.Spec.UpdateStrategy))
		case !equality.Semantic.DeepEqual(ds.Spec.Template, before.Template):
			return fmt.Errorf("its template is another")
		}
		return nil
	})
}

// unlabelled holds when the node has the labels that it had.
func unlabelled(node, first string) state.Condition {
	return state.Right("node "+node+" has the labels that it had", func(cluster *history.Cluster) error {
		if now := cluster.Nodes[node]; now == nil || encoded(now.Labels) != first {
			return fmt.Errorf("node %s has other labels", node)
		}
		return nil
	})
}

// encoded is the value in JSON, in which keys are sorted.
func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return string(text)
}
