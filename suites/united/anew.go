package united

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// anew are the specs of what comes a second time, while the first lasts.
func anew() {
	secondOverlap()
	secondBadPatch()
	movedFromBad()
	spec.It("gives a subset the template of the target that another of its name has taken the place of",
		spec.Decides("UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, OnNodes(Subset("first", PatchTemplate(map[string]any{"metadata": map[string]any{"annotations": map[string]any{note: "first"}}})), nodes[0]))
			placed(ctx, c)
			c.DeleteDaemonSet(ctx, ds, metav1.DeletePropagationBackground)
			c.Await(ctx, state.When("the target's pod is gone", func(cluster *history.Cluster) bool {
				for _, pod := range cluster.Pods {
					if history.NodeOf(pod) == nodes[1] {
						return false
					}
				}
				return true
			}))
			c.Create(ctx, c.NewDaemonSet(target, MaxUnavailable("1"), Image("v2")))
			c.Await(ctx, membersRun("v2"))
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.DeleteDaemonSet)))
			j.Decide("UNITED-033", HoldsAtMark(changed, membersRun("v2")), HoldsAtMark(changed, state.UnitedPlaced(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// disk is another label by which subsets select nodes.
const disk = "disk"

// secondOverlap is the spec of a node that comes to be selected by two subsets while another is.
func secondOverlap() {
	spec.It("names a node that comes to be selected by two subsets while another has been for some time",
		spec.Decides("UNITED-037"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(byName, nodes[1])
			fast := func(node string) {
				c.EditNode(ctx, history.LabelNode, node, func(node *corev1.Node) { node.Labels[disk] = "fast" })
			}
			fast(nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"), Where(Subset("second", c.ImagePatch("v3")), disk, "fast"))
			placed(ctx, c)
			c.Await(ctx, overlapping(nodes[0]))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			// It stays with the first.
			fast(nodes[1])
			c.Await(ctx, overlapping(nodes[1]))
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			node := j.Bound(byName)
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-037", OneOf(HoldsAtMark(changed, overlapping(node)),
				ReportedAfter("about the UnitedDaemonSet that names the second node", Marked(united), aboutUnited(node))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// secondBadPatch is the spec of a subset that gets a patch which cannot be applied while another has one.
func secondBadPatch() {
	spec.It("names a subset whose patch comes to be one that cannot be applied while that of another has been for some time",
		spec.Decides("UNITED-038"),
		func(ctx context.Context, c *spec.Case) {
			const first, second = "bad-labels", "bad-type"
			nodes := addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			both := func(of, other history.UnitedPatch) []history.UnitedSubset {
				return []history.UnitedSubset{OnNodes(Subset(first, of), nodes[0]), OnNodes(Subset(second, other), nodes[1])}
			}
			u := c.Unite(ctx, ds, both(c.ImagePatch("v2"), c.ImagePatch("v2"))...)
			placed(ctx, c)
			if _, err := c.TrySubdivide(ctx, u, both(PatchTemplate(bad()[first]), c.ImagePatch("v2"))...); err == nil {
				c.Await(ctx, names(first))
			}
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			if _, err := c.TrySubdivide(ctx, u, both(PatchTemplate(bad()[first]), PatchTemplate(bad()[second]))...); err == nil {
				c.Await(ctx, names(second))
			}
			c.Await(ctx, Quiet(silence))
			c.Mark(unchanged)
		},
		func(j *spec.Checks) {
			const second = "bad-type"
			j.Decide("UNITED-038", Never(After(PodDeleted(), Marked(united))),
				OneOf(Refused("the patches", Nth(2, Answered(history.UpdateUnited, name))), HoldsAtMark(unchanged, names(second)),
					ReportedAfter("about the UnitedDaemonSet that names the second subset", Marked(united), aboutUnited(second))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// movedFromBad is the spec of nodes that a subset selects no longer whose patch cannot be applied.
func movedFromBad() {
	spec.It("moves nodes that a subset selects no longer, or not first, though its patch cannot be applied",
		spec.Decides("UNITED-006", "UNITED-008", "UNITED-009", "UNITED-010"),
		func(ctx context.Context, c *spec.Case) {
			const first, second = "bad-affinity", "good"
			nodes := addNodes(ctx, c, "a", "a", "b")
			c.Bind(moved, nodes[0], nodes[1])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			broken, good := Where(Subset(first, PatchTemplate(bad()[first])), zone, "a"), Where(Subset(second, c.ImagePatch("v3")), zone, "a")
			u := c.Unite(ctx, ds, Where(Subset(first, c.ImagePatch("v2")), zone, "a"), good)
			placed(ctx, c)
			if _, err := c.TrySubdivide(ctx, u, broken, good); err != nil {
				c.NotPossible("the API server refuses the patch: " + err.Error())
			}
			c.Await(ctx, names(first))
			c.Await(ctx, Quiet(silence))
			relabel(ctx, c, nodes[0], "c")
			c.Await(ctx, state.UnitedPlaced(name, nodes[0]))
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
			c.Subdivide(ctx, u, good, broken)
			c.Await(ctx, state.UnitedPlaced(name, nodes[1]))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			left, reordered := j.BoundAll(moved)[0], j.BoundAll(moved)[1]
			j.Decide("UNITED-006", HoldsAtMark(changed, state.UnitedPlaced(name, left)))
			j.Decide("UNITED-008", HoldsAtMark(changed, withinSubsets()))
			j.Decide("UNITED-009", HoldsAtMark(again, state.UnitedPlaced(name, reordered)))
			j.Decide("UNITED-010", HoldsAtMark(again, state.UnitedPlaced(name, reordered)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}
