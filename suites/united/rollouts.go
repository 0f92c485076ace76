package united

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// note is an annotation that the target's template has and a subset's patch changes.
const note = "example.org/note"

// targetChanges is the spec of changes of the target while it is united.
func targetChanges() {
	spec.It("rolls changes of the target out to its own nodes and into the subsets, by the strategy that it has",
		spec.Decides("UNITED-014", "UNITED-007", "UNITED-032", "UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c", "c")
			ds := c.Deploy(ctx, MaxUnavailable("1"), noted("of the target"), withVariable())
			pinned := OnNodes(Subset("pinned", withoutVariable(c.ImagePatch("v2"))), nodes[0])
			noting := OnNodes(Subset("noting", PatchTemplate(map[string]any{"metadata": map[string]any{"annotations": map[string]any{note: "of the subset"}}})), nodes[1])
			u := c.Unite(ctx, ds, pinned, noting)
			// The template changes before the affinity can have settled.
			c.Await(ctx, Processed(c.Update(ctx, ds, Image("v3"))))
			c.Await(ctx, state.All(state.UnitedPlaced(name), annotated(nodes[1], "of the subset"), variableOn(false, nodes[0]), strategyIs(1)))
			placed(ctx, c)
			c.Mark(united)
			c.Await(ctx, Processed(c.Update(ctx, ds, Image("v4"), MaxUnavailable("2"))))
			placed(ctx, c)
			c.Mark(changed)
			noting.Patch = c.ImagePatch("v5")
			u = c.Subdivide(ctx, u, pinned, noting)
			c.Await(ctx, state.All(state.UnitedPlaced(name), annotated(nodes[1], "of the target")))
			placed(ctx, c)
			c.Mark(again)
			c.Bind(moved, nodes[0])
			c.Bind(byName, nodes[1])
			c.Bind(none, nodes[2:]...)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target), strategyIs(2)))
			c.Await(ctx, Quiet(silence))
			c.Mark(back)
		},
		func(j *spec.Checks) {
			node := j.Bound(byName)
			own, ofSubsets := state.UnitedPlaced(name, j.BoundAll(none)...), state.UnitedPlaced(name, j.Bound(moved), node)
			// A patch may speak of no container, and may take away what the target has.
			j.Decide("UNITED-007", HoldsAtMark(united, annotated(node, "of the subset")), HoldsAtMark(united, variableOn(false, j.Bound(moved))),
				HoldsAtMark(united, variableOn(true, append(j.BoundAll(none), node)...)))
			j.Decide("UNITED-014", HoldsAtMark(united, own))
			j.Decide("UNITED-032", HoldsAtMark(changed, own), HoldsAtMark(again, own),
				HoldsAtMark(united, strategyIs(1)), HoldsAtMark(changed, strategyIs(2)), HoldsAtMark(again, strategyIs(2)), HoldsAtMark(back, strategyIs(2)))
			for _, other := range j.BoundAll(none) {
				j.Decide("UNITED-032", Exactly(1, PodCreated(OfVersion("v4")).On(other)))
			}
			j.Decide("UNITED-033",
				HoldsAtMark(united, ofSubsets), HoldsAtMark(united, annotated(node, "of the subset")), HoldsAtMark(changed, ofSubsets),
				HoldsAtMark(changed, annotated(node, "of the subset")), HoldsAtMark(again, ofSubsets), HoldsAtMark(again, annotated(node, "of the target")))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("changes the template of a subset whose pods do not start while a node is half moved to it, where the target surges",
		spec.Decides("UNITED-022", "UNITED-030", "UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxSurge("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch(stages.MissingTag)), zone, "a"))
			c.Require(ctx, "a pod of the subset waits for its image beside one of the target", state.All(waitOn(nodes[0]), servedOn(nodes[0], "v1")))
			c.Await(ctx, Quiet(silence))
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.UpdateUnited)))
			node := j.Bound(moved)
			j.Decide("UNITED-022", HoldsAtMark(changed, state.UnitedSingle(name)))
			j.Decide("UNITED-030", Before(PodAvailable(OfVersion("v2")).On(node), PodDeleted(OfVersion("v1")).On(node)))
			j.Decide("UNITED-033", HoldsAtMark(changed, state.UnitedPlaced(name, node)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("changes the template of a subset that has no node yet, so that one which joins it later has a pod of that alone",
		spec.Decides("UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "b", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			subset := Where(Subset("first", PatchTemplate(map[string]any{"metadata": map[string]any{"annotations": map[string]any{note: "of the subset"}}})), zone, "a")
			c.Unite(ctx, ds, subset)
			placed(ctx, c)
			c.Await(ctx, Processed(c.Update(ctx, ds, Image("v2"))))
			placed(ctx, c)
			c.Await(ctx, membersRun("v2"))
			c.Mark(united)
			relabel(ctx, c, nodes[0], "a")
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.LabelNode)))
			node := j.Bound(moved)
			j.Decide("UNITED-033", HoldsAtMark(united, membersRun("v2")), HoldsAtMark(changed, state.UnitedPlaced(name, node)),
				Never(After(PodCreated(OfVersion("v1")), Marked(united))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("changes the template of a subset whose pods do not start, though nodes still wait to be moved to it",
		spec.Decides("UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(moved, nodes[0], nodes[1])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch(stages.MissingTag)), zone, "a"))
			c.Require(ctx, "a pod of the subset waits for its image", waitsForImage())
			// The other node has to wait: no more may be out.
			c.Await(ctx, Quiet(silence))
			c.Subdivide(ctx, u, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.UpdateUnited)))
			j.Decide("UNITED-033", HoldsAtMark(changed, state.UnitedPlaced(name, j.BoundAll(moved)...)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// membersRun holds when the templates of all DaemonSets of the family have that version.
func membersRun(tag string) state.Condition {
	return state.Right("the templates of all DaemonSets of the family are of version "+tag, func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			for _, ds := range cluster.FamilyOf(united).Members() {
				if !history.HasTag(&ds.Spec.Template.Spec, tag) {
					return fmt.Errorf("that of DaemonSet %s is not", ds.Name)
				}
			}
		}
		return nil
	})
}

// byHand is the spec of a target that the user updates by hand.
func byHand() {
	spec.It("leaves a target OnDelete that has it, and gives it back as it was",
		spec.Decides("UNITED-020", "UNITED-032"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(none, nodes[1])
			ds := c.Deploy(ctx, OnDelete())
			before := remember(ctx, c)
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Await(ctx, updatedByHand())
			c.Mark(united)
			giveBack(ctx, c, u, before)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-032", HoldsAtMark(united, updatedByHand()), Never(PodDeleted().On(j.Bound(none))))
			j.Decide("UNITED-020", HoldsAtMark(again, restored(j.Bound(firstSpec))), HoldsAtMark(again, servedBy(target)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// updatedByHand holds when the target's strategy is OnDelete.
func updatedByHand() state.Condition {
	return state.Right("the target is updated by hand", func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, target)
		if ds == nil {
			return fmt.Errorf("there is no target")
		}
		if ds.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
			return fmt.Errorf("its strategy is %s", encoded(ds.Spec.UpdateStrategy))
		}
		return nil
	})
}

func noted(text string) Edit {
	return Edit{Says: "an annotation in the template", Apply: func(ds *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&ds.Spec.Template.ObjectMeta, note, text)
	}}
}

// annotated holds when the one pod on the node has the annotation.
func annotated(node, text string) state.Condition {
	return state.Right("the pod on node "+node+" has the annotation "+text, func(cluster *history.Cluster) error {
		for _, pod := range cluster.Pods {
			if history.NodeOf(pod) == node && history.IsLive(pod) && pod.Annotations[note] != text {
				return fmt.Errorf("pod %s has the annotation %q", pod.Name, pod.Annotations[note])
			}
		}
		return nil
	})
}

// strategyIs holds when the target's strategy is the user's: rolling, with that maxUnavailable.
func strategyIs(maxUnavailable int32) state.Condition {
	return state.Right("the target's rollouts are by the strategy that the user gave it", func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, target)
		if ds == nil {
			return fmt.Errorf("there is no target")
		}
		strategy := ds.Spec.UpdateStrategy
		if strategy.Type != appsv1.RollingUpdateDaemonSetStrategyType || strategy.RollingUpdate == nil || strategy.RollingUpdate.MaxUnavailable == nil ||
			*strategy.RollingUpdate.MaxUnavailable != intstr.FromInt32(maxUnavailable) {
			return fmt.Errorf("its strategy is %s", encoded(strategy))
		}
		return nil
	})
}
