package united

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// surge is the spec of nodes that change hands with maxSurge on the target.
func surge() {
	spec.It("has an available pod of the new member before it deletes that of the other, where the target surges",
		spec.Decides("UNITED-027", "UNITED-028", "UNITED-030"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(moved, nodes[:2]...)
			// One of the three nodes.
			ds := c.Deploy(ctx, MaxSurge("30%"), MinReadySeconds(minReady))
			u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			placed(ctx, c)
			c.Mark(united)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target)))
			c.Await(ctx, Quiet(silence))
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-028", Keeps("UNITED-027"))
			for _, node := range j.BoundAll(moved) {
				v1, v2 := PodAvailable(OfVersion("v1")).On(node), PodAvailable(OfVersion("v2")).On(node)
				j.Decide("UNITED-030",
					Before(v2, PodDeleted(OfVersion("v1")).On(node)),
					Before(After(v1, Began(history.DeleteUnited)), After(PodDeleted(OfVersion("v2")).On(node), Began(history.DeleteUnited))))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// affinity is the spec of a target that has a node affinity of its own.
func affinity() {
	spec.It("keeps the target's own node affinity, with a term for labels and one for names, for the target and for every subset, and takes percentages of the target's nodes alone",
		spec.Decides("UNITED-007", "UNITED-027", "UNITED-035"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			reserved := c.AddNodes(ctx, 1, func(node *corev1.Node) {
				node.Labels[zone] = "a"
				node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "example.org/reserved", Effect: corev1.TaintEffectNoSchedule})
			})
			c.Bind(none, nodes[2], reserved[0])
			c.Bind(moved, nodes[:2]...)
			// One of the two nodes that it has.
			ds := c.Deploy(ctx, MaxUnavailable("50%"), inZoneOr("a", nodes[1]), apart(), IgnoreSIGTERM(), MinReadySeconds(minReady))
			// What the rule about the pace may put down to the nodes that were added is over.
			c.Await(ctx, Quiet(judge.Lag))
			c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes...))
			// Nodes that are taken out at the same time stay so.
			for range nodes[:2] {
				if !release(ctx, c, nodes[:2]...) {
					return
				}
			}
			c.Await(ctx, state.All(servedOn(nodes[0], "v2"), servedOn(nodes[1], "v2")))
			c.Await(ctx, merged())
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-007", HoldsAtMark(united, merged()))
			for _, node := range j.BoundAll(moved) {
				j.Decide("UNITED-035", AtLeast(1, PodAvailable(OfVersion("v2")).On(node)))
			}
			for _, node := range j.BoundAll(none) {
				j.Decide("UNITED-035", Never(PodCreated().On(node)))
			}
			j.Decide("UNITED-035", EndsRolledOut())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// minReady is for how many seconds a pod has to be Ready before the next node changes hands.
const minReady = 2

// inZoneOr requires a node of the zone, by its label, or the one of the name, by a field.
func inZoneOr(in, name string) Edit {
	return Edit{Says: "a node affinity with a term for a zone and one for a node's name", Apply: func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: zone, Operator: corev1.NodeSelectorOpIn, Values: []string{in}}}},
				{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}},
			}},
		}}
	}}
}

// apart has pods keep away from those of another application, if they can.
func apart() Edit {
	return Edit{Says: "an affinity against pods", Apply: func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Affinity.PodAntiAffinity = fromAnother()
	}}
}

// fromAnother is an affinity against pods of another application.
func fromAnother() *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "another"}},
		}}},
	}
}

// joining is the spec of nodes that join, and that change from one subset to another.
func joining() {
	spec.It("runs no pod of the target on a node that joins a subset, nor on one that changes from one subset to another, and one on a node that is registered again",
		spec.Decides("UNITED-006", "UNITED-018", "UNITED-022", "UNITED-040"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "3", "1")
			var registered []*corev1.Node
			c.Look(ctx, func(cluster *history.Cluster) {
				for _, name := range nodes {
					registered = append(registered, cluster.Nodes[name].DeepCopy())
				}
			})
			// The one that is the target's comes back as the subset's.
			registered[0].Labels[zone] = "1"
			c.Bind(returned, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			subset := Where(Subset("first", c.ImagePatch("v2")), zone, "1")
			u := c.Unite(ctx, ds, subset, Where(Subset("second", c.ImagePatch("v3")), zone, "2"))
			placed(ctx, c)
			joined := addNodes(ctx, c, "1", "1")
			c.Bind(moved, joined[0])
			placed(ctx, c)
			c.Mark(united)
			relabel(ctx, c, joined[0], "2")
			placed(ctx, c)
			c.Mark(changed)
			// Another subset takes the place of one that goes.
			c.Subdivide(ctx, u, subset, between(Subset("third", c.ImagePatch("v4")), "1", "3"))
			placed(ctx, c)
			// Other machines register under the nodes' names.
			for _, node := range registered {
				rollouts.Register(ctx, c, node)
			}
			c.Await(ctx, state.UnitedLabelled(name))
			placed(ctx, c)
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-022", HoldsAtMark(again, state.UnitedSingle(name)))
			// The first subset has nodes that are older than those whose names come before theirs.
			j.Decide("UNITED-018", HoldsAtMark(again, state.UnitedReported(name)))
			node := j.Bound(moved)
			j.Decide("UNITED-006", HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(changed, state.UnitedPlaced(name)), HoldsAtMark(again, state.UnitedPlaced(name)))
			j.Decide("UNITED-040",
				AtLeast(1, PodAvailable(OfVersion("v2")).On(node)), AtLeast(1, PodAvailable(OfVersion("v3")).On(node)), AtLeast(1, PodAvailable(OfVersion("v4")).On(node)),
				Never(PodCreated(OfVersion("v1")).On(node)), Never(After(PodCreated(OfVersion("v1")), Marked(changed))),
				AtLeast(1, PodCreated(OfVersion("v2")).On(j.Bound(returned))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// between is the subset on the nodes whose zone, a number, is between the two.
func between(subset history.UnitedSubset, low, high string) history.UnitedSubset {
	subset.Selector = history.UnitedSelector{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: zone, Operator: corev1.NodeSelectorOpGt, Values: []string{low}}, {Key: zone, Operator: corev1.NodeSelectorOpLt, Values: []string{high}},
	}}
	return subset
}

// ended is the spec of a node that changes hands while a pod that has ended there is held back in deletion.
func ended() {
	spec.It("gives a node to its new member only once a pod of the other that has ended there, and cannot go, is gone",
		spec.Decides("UNITED-029"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			pod := c.LivePodOn(ctx, ds, nodes[0])
			c.AddFinalizer(ctx, pod)
			c.Pods.Fail(ctx, pod)
			// If the controller has not done so already.
			c.DeletePod(ctx, pod, 0)
			c.Require(ctx, "the pod that ended is replaced", servedOn(nodes[0], "v1"))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Await(ctx, state.When("node "+nodes[0]+" has no live pod", func(cluster *history.Cluster) bool {
				return !slices.ContainsFunc(cluster.PodsOn(ds.UID, nodes[0]), history.IsLive)
			}))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.RemoveFinalizer(ctx, pod)
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			first := PodCreated(OfVersion("v2")).On(j.Bound(moved))
			j.Given(AtLeast(1, Marked(united)))
			j.Decide("UNITED-029", AtLeast(1, first), NeverBetween(Began(history.CreateUnited), Marked(united), first))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}
