package united

import (
	"context"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rivals is the spec of UnitedDaemonSets of one target.
func rivals() {
	const later, beside, last = "later", "beside", "last"
	spec.It("lets the earlier of two UnitedDaemonSets of one target have it, says so, lets the later take over when that is gone, and leaves one of another target alone",
		spec.Decides("UNITED-015", "UNITED-036"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			first := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			if _, err := c.TryUnite(ctx, later, c.NewUnited(later, target, OnNodes(Subset("second", c.ImagePatch("v3")), nodes[1]))); err != nil {
				c.CannotDecide("the API server refuses a second UnitedDaemonSet of the target: " + err.Error())
			}
			another := c.Create(ctx, c.NewDaemonSet("another", MaxUnavailable("1")))
			c.Await(ctx, Steady(another))
			if _, err := c.TryUnite(ctx, beside, c.NewUnited(beside, another.Name, OnNodes(Subset("third", c.ImagePatch("v4")), nodes[0]))); err != nil {
				c.CannotDecide("the API server refuses a UnitedDaemonSet of another target: " + err.Error())
			}
			c.Await(ctx, state.All(tells(later, name, target), state.UnitedPlaced(beside), state.UnitedDaemonSets(beside)))
			c.Await(ctx, Quiet(silence))
			// It is the later of two, whichever of the others it is compared with.
			if _, err := c.TryUnite(ctx, last, c.NewUnited(last, target, OnNodes(Subset("fourth", c.ImagePatch("v5")), nodes[1]))); err != nil {
				c.CannotDecide("the API server refuses a third UnitedDaemonSet of the target: " + err.Error())
			}
			c.Await(ctx, tells(last, name, target))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			c.Separate(ctx, first, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedPlaced(later), state.UnitedDaemonSets(later), state.UnitedObserved(later), state.UnitedReported(later)))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-015", HoldsAtMark(united, state.UnitedDaemonSets(beside)), HoldsAtMark(united, state.UnitedPlaced(beside)))
			j.Decide("UNITED-036",
				HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(united, tells(later, name, target)), HoldsAtMark(united, tells(last, name, target)),
				Before(UnitedDeleted(), DaemonSetCreated("v3")), Before(UnitedDeleted(), PodCreated(OfVersion("v3"))), Never(DaemonSetCreated("v5")), HoldsAtMark(again, tells(last, later, target)),
				Before(UnitedDeleted(), After(PodDeleted(OfVersion("v1")), Began(history.DeleteUnited))), HoldsAtMark(again, state.UnitedPlaced(later)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// tells holds when a condition of the later UnitedDaemonSet names the other one or, if it is not True, the target.
func tells(later, other, target string) state.Condition {
	return state.UnitedCondition(later, "that names the other UnitedDaemonSet or, not True, the target", func(condition metav1.Condition) bool {
		return mentions(condition.Message, other) || condition.Status != metav1.ConditionTrue && mentions(condition.Message, target)
	})
}

// mentions reports whether the text has the name of an object, and not one that is longer: "daemon" is not in "daemonset".
func mentions(text, name string) bool {
	const others = `[^0-9A-Za-z-]`
	return regexp.MustCompile(`(?:^|` + others + `)` + regexp.QuoteMeta(name) + `(?:` + others + `|$)`).MatchString(text)
}

// missing is the spec of a target that comes later.
func missing() {
	spec.It("waits for a target that does not exist, says so, makes the subsets when it comes, and when another comes in its place, and leaves nothing when it goes after the target",
		spec.Decides("UNITED-017", "UNITED-020", "UNITED-024"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(none, nodes...)
			// Others label nodes that are new.
			c.Await(ctx, Quiet(judge.Lag))
			unchanged := rememberLabels(ctx, c)
			u, err := c.TryUnite(ctx, name, c.NewUnited(name, target, OnNodes(Subset("first", c.ImagePatch("v2")), "nowhere")))
			if err != nil {
				c.CannotDecide("the UnitedDaemonSet is refused: " + err.Error())
			}
			c.Await(ctx, missed())
			u = c.Subdivide(ctx, u, OnNodes(Subset("first", c.ImagePatch("v3")), "nowhere"))
			c.Await(ctx, state.All(state.UnitedObserved(name), state.Any(missed(), Quiet(spec.AtOnce))))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			ds := c.Create(ctx, c.NewDaemonSet(target, MaxUnavailable("1")))
			placed(ctx, c)
			// A DaemonSet that is created again under the name is the target, too.
			c.DeleteDaemonSet(ctx, ds, metav1.DeletePropagationBackground)
			c.Await(ctx, state.When("the target's pods are gone", func(cluster *history.Cluster) bool { return len(cluster.Pods) == 0 }))
			ds = c.Create(ctx, c.NewDaemonSet(target, MaxUnavailable("1")))
			u = c.Subdivide(ctx, u, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(changed)
			c.DeleteDaemonSet(ctx, ds, metav1.DeletePropagationBackground)
			c.Await(ctx, Quiet(silence))
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(unchanged, state.When("the UnitedDaemonSet is gone", func(cluster *history.Cluster) bool { return len(cluster.United()) == 0 })))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-017", HoldsAtMark(united, state.UnitedObserved(name)))
			j.Decide("UNITED-024",
				NeverBetween(Began(history.CreateUnited), First(Began(history.CreateDaemonSet)), Either(DaemonSetCreated("v2"), DaemonSetCreated("v3"))),
				OneOf(HoldsAtMark(united, missed()),
					Reported("about the UnitedDaemonSet that names the target", aboutUnited(target))),
				HoldsAtMark(changed, state.UnitedPlaced(name)))
			for _, node := range j.BoundAll(none) {
				j.Decide("UNITED-020", HoldsAtMark(again, unlabelled(node, j.Bound(firstLabels+" "+node))))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

func missed() state.Condition {
	return state.UnitedCondition(name, "that is not True and names the target", func(condition metav1.Condition) bool {
		return condition.Status != metav1.ConditionTrue && mentions(condition.Message, target)
	})
}

// aboutUnited picks the events about the scenario's UnitedDaemonSet with the text, and with none of the others: names of nodes and targets are in others' events too.
func aboutUnited(text string, others ...string) func(*corev1.Event) bool {
	kind := schema.ParseGroupKind(string(history.KindUnitedDaemonSet)).Kind
	return func(event *corev1.Event) bool {
		about := event.InvolvedObject
		return about.Kind == kind && about.Name == name && mentions(event.Message, text) &&
			!slices.ContainsFunc(others, func(other string) bool { return mentions(event.Message, other) })
	}
}

// bad are patches that no subset can have, by the name of the subset.
func bad() map[string]map[string]any {
	ofPod := func(field string, value any) map[string]any {
		return map[string]any{"spec": map[string]any{field: value}}
	}
	return map[string]map[string]any{
		"bad-labels":     {"metadata": map[string]any{"labels": map[string]any{"app": "another"}}},
		"bad-containers": ofPod("containers", []any{map[string]any{"$patch": "replace"}}),
		"bad-type":       ofPod("containers", "none"),
		"bad-affinity":   ofPod("nodeSelector", map[string]any{"elsewhere": "true"}),
		"bad-image":      ofPod("containers", []any{map[string]any{"name": "daemon", "image": ""}}),
	}
}

// patches is the spec of patches that cannot be applied.
func patches() {
	for _, subset := range []string{"bad-labels", "bad-containers", "bad-type", "bad-affinity", "bad-image"} {
		spec.It("limits the effect of a patch that cannot be applied to its subset: "+subset,
			spec.Decides("UNITED-038"),
			func(ctx context.Context, c *spec.Case) {
				nodes := addNodes(ctx, c, "a", "b")
				c.Bind(byName, nodes[0])
				c.Bind(moved, nodes[1])
				ds := c.Deploy(ctx, MaxUnavailable("1"))
				broken := OnNodes(Subset(subset, PatchTemplate(bad()[subset])), nodes[0])
				good := OnNodes(Subset("good", c.ImagePatch("v2")), nodes[1])
				if _, err := c.TryUnite(ctx, name, c.NewUnited(name, ds.Name, broken, good)); err == nil {
					c.Await(ctx, state.All(names(subset), servedOn(nodes[1], "v2")))
				}
				c.Await(ctx, Quiet(silence))
				c.Mark(united)
			},
			func(j *spec.Checks) {
				j.Decide("UNITED-038", limitedTo(subset, j.Bound(byName), j.Bound(moved))...)
			}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
	}

	spec.It("limits the effect of a patch to its subset that takes pods out of the matchExpressions of the target's selector",
		spec.Decides("UNITED-038"),
		func(ctx context.Context, c *spec.Case) {
			const subset = "bad-tier"
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(byName, nodes[0])
			c.Bind(moved, nodes[1])
			ds := c.Deploy(ctx, MaxUnavailable("1"), ofTiers("node", "edge"))
			broken := OnNodes(Subset(subset, PatchTemplate(map[string]any{"metadata": map[string]any{"labels": map[string]any{"tier": "web"}}})), nodes[0])
			good := OnNodes(Subset("good", c.ImagePatch("v2")), nodes[1])
			if _, err := c.TryUnite(ctx, name, c.NewUnited(name, ds.Name, broken, good)); err == nil {
				c.Await(ctx, state.All(names(subset), servedOn(nodes[1], "v2")))
			}
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-038", limitedTo("bad-tier", j.Bound(byName), j.Bound(moved))...)
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("gives a node that several subsets select to none of them while the patch of the first cannot be applied",
		spec.Decides("UNITED-009", "UNITED-038"),
		func(ctx context.Context, c *spec.Case) {
			const first, second = "bad-labels", "good"
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(byName, nodes[0])
			c.Bind(moved, nodes[1])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			broken := OnNodes(Subset(first, PatchTemplate(bad()[first])), nodes[0])
			good := OnNodes(Subset(second, c.ImagePatch("v2")), nodes...)
			if u, err := c.TryUnite(ctx, name, c.NewUnited(name, ds.Name, broken, good)); err == nil {
				c.Await(ctx, servedOn(nodes[1], "v2"))
				c.Await(ctx, Quiet(silence))
				c.Mark(united)
				c.Subdivide(ctx, u, OnNodes(Subset(first, c.ImagePatch("v3")), nodes[0]), good)
				placed(ctx, c)
				c.Mark(changed)
			}
			c.Await(ctx, Quiet(silence))
		},
		func(j *spec.Checks) {
			node, refused := j.Bound(byName), Refused("the patch", Answered(history.CreateUnited, name))
			j.Decide("UNITED-009", Never(PodCreated(OfVersion("v2")).On(node)), OneOf(refused, HoldsAtMark(changed, state.UnitedPlaced(name))))
			j.Decide("UNITED-038", OneOf(refused, All(
				NeverBetween(Began(history.CreateUnited), Marked(united), PodDeleted().On(node)), Before(PodAvailable(OfVersion("v2")).On(j.Bound(moved)), Marked(united)))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("leaves the pods of a subset alone when its patch becomes one that cannot be applied, and applies the next one that can be",
		spec.Decides("UNITED-038"),
		func(ctx context.Context, c *spec.Case) {
			// That of the second makes a DaemonSet that the API server refuses.
			const first, second = "bad-affinity", "bad-image"
			nodes := addNodes(ctx, c, "a", "b", "c")
			c.Bind(byName, nodes[:2]...)
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			both := func(patch func(subset string) history.UnitedPatch) []history.UnitedSubset {
				return []history.UnitedSubset{OnNodes(Subset(first, patch(first)), nodes[0]), OnNodes(Subset(second, patch(second)), nodes[1])}
			}
			u := c.Unite(ctx, ds, both(func(string) history.UnitedPatch { return c.ImagePatch("v2") })...)
			placed(ctx, c)
			c.Mark(united)
			if _, err := c.TrySubdivide(ctx, u, both(func(subset string) history.UnitedPatch { return PatchTemplate(bad()[subset]) })...); err == nil {
				c.Await(ctx, state.All(names(first), names(second)))
			}
			c.Await(ctx, Quiet(silence))
			c.Mark(unchanged)
			c.Subdivide(ctx, u, both(func(string) history.UnitedPatch { return c.ImagePatch("v3") })...)
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			for _, node := range j.BoundAll(byName) {
				j.Decide("UNITED-038", NeverBetween(Marked(united), Marked(unchanged), PodDeleted().On(node)))
			}
			for _, subset := range []string{"bad-affinity", "bad-image"} {
				j.Decide("UNITED-038", OneOf(Refused("the patches", First(Answered(history.UpdateUnited, name))), HoldsAtMark(unchanged, names(subset)),
					Reported("about the UnitedDaemonSet that names the subset "+subset, aboutUnited(subset))))
			}
			j.Decide("UNITED-038", HoldsAtMark(changed, state.UnitedPlaced(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// limitedTo asks that the subset, whose patch cannot be applied, is refused or reported, that its node keeps its pod, and that the other subset gets v2.
func limitedTo(subset, node, other string) []Matcher {
	return []Matcher{
		NeverBetween(Began(history.CreateUnited), Marked(united), PodDeleted().On(node)),
		OneOf(Refused("the patch", Answered(history.CreateUnited, name)), All(
			OneOf(HoldsAtMark(united, names(subset)), Reported("about the UnitedDaemonSet that names the subset", aboutUnited(subset))),
			AtLeast(1, PodAvailable(OfVersion("v2")).On(other)))),
	}
}

// ofTiers makes the selector ask for one of the tiers, of which pods have the first.
func ofTiers(tiers ...string) Edit {
	return Edit{Says: "selects tiers " + strings.Join(tiers, ", "), Apply: func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataLabel(&d.Spec.Template.ObjectMeta, "tier", tiers[0])
		d.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: tiers}}
	}}
}

// names holds when a condition names the subset.
func names(subset string) state.Condition {
	return state.UnitedCondition(name, "that names the subset", func(condition metav1.Condition) bool { return strings.Contains(condition.Message, subset) })
}

// servedOn holds when the node has an available pod of the version.
func servedOn(node, tag string) state.Condition {
	return state.When("node "+node+" has a Ready pod of "+tag, func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if history.NodeOf(pod) == node && history.IsReady(pod) && history.IsLive(pod) && history.HasTag(&pod.Spec, tag) {
				return true
			}
		}
		return false
	})
}
