package united

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Marks of the scenarios, in the order in which they are put.
const (
	united    history.Mark = "the subsets have their nodes"
	changed   history.Mark = "the change has been followed"
	again     history.Mark = "the next change has been followed"
	unchanged history.Mark = "nothing follows"
	back      history.Mark = "what was taken away is there again"
)

// Names of what the scenarios bind.
const (
	byName = "selected by name"
	byZone = "selected by labels"
	other  = "selected later"
	none   = "selected by no subset"
	moved  = "changes hands"
	// returned is registered again, as a node of another member.
	returned = "comes back elsewhere"
)

// subsets is the spec of what there is once a UnitedDaemonSet has settled.
func subsets() {
	spec.It("runs on the nodes of each subset what its patch makes of the target, and leaves all other pods alone",
		spec.Decides("UNITED-005", "UNITED-006", "UNITED-007", "UNITED-008", "UNITED-009", "UNITED-011", "UNITED-012", "UNITED-013", "UNITED-015", "UNITED-016",
			"UNITED-017", "UNITED-018", "UNITED-022", "UNITED-023", "UNITED-025", "UNITED-027", "UNITED-029", "UNITED-037", "UNITED-039", "CROSS-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b", "c", "d")
			c.Bind(byName, nodes[0])
			c.Bind(byZone, nodes[1:3]...)
			c.Bind(other, nodes[3])
			c.Bind(none, nodes[4])
			ds := c.Deploy(ctx, MaxUnavailable("1"), ofTarget())
			c.Unite(ctx, ds,
				OnNodes(Subset("by-name", c.ImagePatch("v2")), nodes[0], "nowhere"),
				Where(Subset("empty", c.ImagePatch("v4")), zone, "nowhere"),
				notOn(Where(Subset("by-zone", withoutAnnotation(c.ImagePatch("v3"))), zone, "a", "b"), "slow"))
			placed(ctx, c)
			// What is wrong is waited for in vain, until nothing that could mend it is under way.
			c.Await(ctx, state.All(merged(), cleared(), byDaemonSets(), ownAffinity(), disjoint(), state.UnitedDaemonSets(name), state.UnitedLabelled(name)))
			c.Await(ctx, overlapping(nodes[0]))
			c.Mark(united)
			// Daemons go where nothing else is to be scheduled.
			c.Cordon(ctx, nodes[1])
			c.Cordon(ctx, nodes[3])
			relabel(ctx, c, nodes[3], "b")
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			place, lost := state.UnitedPlaced(name), j.Bound(byName)
			target := append(j.BoundAll(other), j.BoundAll(none)...)
			j.Decide("UNITED-005", HoldsAtMark(united, exactlyOn("v2", lost)))
			j.Decide("UNITED-008", HoldsAtMark(united, withinSubsets()), HoldsAtMark(changed, withinSubsets()))
			j.Decide("UNITED-009", HoldsAtMark(united, state.UnitedPlaced(name, lost)))
			j.Decide("UNITED-012", HoldsAtMark(united, targetLeaves()), HoldsAtMark(changed, targetLeaves()))
			j.Decide("UNITED-025",
				HoldsAtMark(united, exactlyOn("v2", lost)), HoldsAtMark(united, exactlyOn("v3", j.BoundAll(byZone)...)), HoldsAtMark(united, exactlyOn("v1", target...)))
			j.Decide("UNITED-006", HoldsAtMark(united, place), HoldsAtMark(changed, place))
			j.Decide("UNITED-007", HoldsAtMark(united, merged()), HoldsAtMark(united, cleared()))
			j.Decide("UNITED-011", HoldsAtMark(united, state.UnitedLabelled(name)), HoldsAtMark(changed, state.UnitedLabelled(name)))
			j.Decide("UNITED-013", NeverBetween(Began(history.CreateUnited), Marked(changed), PodDeleted().On(j.Bound(none))))
			j.Decide("UNITED-015", HoldsAtMark(united, state.UnitedDaemonSets(name)), HoldsAtMark(united, ownAffinity()))
			j.Decide("UNITED-016", HoldsAtMark(united, byDaemonSets()))
			j.Decide("UNITED-017", HoldsAtMark(united, state.UnitedObserved(name)), HoldsAtMark(changed, state.UnitedObserved(name)))
			j.Decide("UNITED-018", HoldsAtMark(united, state.UnitedReported(name)), HoldsAtMark(changed, state.UnitedReported(name)))
			j.Decide("UNITED-022", HoldsAtMark(united, state.UnitedSingle(name)), HoldsAtMark(changed, state.UnitedSingle(name)))
			j.Decide("UNITED-023", Never(meddled()), AtLeast(1, touched()))
			for _, node := range append(j.BoundAll(byZone), lost) {
				j.Decide("UNITED-029", Before(PodGone(OfVersion("v1")).On(node), PodCreated(notOf("v1")).On(node)))
			}
			j.Decide("UNITED-037", HoldsAtMark(united, state.UnitedReported(name)), OneOf(
				HoldsAtMark(united, overlapping(lost)),
				// One that names others, too, is about moving them.
				Reported("about the UnitedDaemonSet that names the node that two subsets select, and no other", aboutUnited(lost, j.BoundAll(byZone)...))))
			j.Decide("UNITED-039", HoldsAtMark(united, disjoint()))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{}, spec.MainPath{})
}

// overlapping holds when a condition names the node that two subsets select.
func overlapping(node string) state.Condition {
	return state.UnitedCondition(name, "that names the node that two subsets select", func(condition metav1.Condition) bool {
		return strings.Contains(condition.Message, node)
	})
}

// notOf picks the pods that are of another version.
func notOf(tag string) Which { return AllBut(OfVersion(tag)) }

// merged holds when the containers of subsets' pods differ from the target's in their image alone, and their affinity to pods does not.
func merged() state.Condition {
	return state.Right("containers of subsets and their affinity to pods are the target's but for the image that the patch sets", func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, target)
		if ds == nil {
			return fmt.Errorf("there is no target")
		}
		for _, united := range cluster.United() {
			for _, subset := range cluster.FamilyOf(united).Subsets {
				template := subset.Spec.Template.DeepCopy()
				for i := range min(len(template.Spec.Containers), len(ds.Spec.Template.Spec.Containers)) {
					template.Spec.Containers[i].Image = ds.Spec.Template.Spec.Containers[i].Image
				}
				if !equality.Semantic.DeepEqual(template.Spec.Containers, ds.Spec.Template.Spec.Containers) {
					return fmt.Errorf("DaemonSet %s has other containers", subset.Name)
				}
				if !equality.Semantic.DeepEqual(toPods(template), toPods(&ds.Spec.Template)) {
					return fmt.Errorf("DaemonSet %s has another affinity to pods", subset.Name)
				}
			}
		}
		return nil
	})
}

// toPods is the template's affinity without that to nodes.
func toPods(template *corev1.PodTemplateSpec) corev1.Affinity {
	if template.Spec.Affinity == nil {
		return corev1.Affinity{}
	}
	return corev1.Affinity{PodAffinity: template.Spec.Affinity.PodAffinity, PodAntiAffinity: template.Spec.Affinity.PodAntiAffinity}
}

// byDaemonSets holds when subsets have pods, and every pod that the target's selector selects is a DaemonSet's.
func byDaemonSets() state.Condition {
	return state.Right("subsets have pods, and all pods are those of DaemonSets", func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			family, ofSubsets := cluster.FamilyOf(united), 0
			if family.Target == nil {
				return fmt.Errorf("there is no target")
			}
			for _, pod := range cluster.Pods {
				owner := cluster.OwnerOf(pod)
				if owner == nil && pod.Namespace == united.Namespace && selects(family.Target, pod) {
					return fmt.Errorf("no DaemonSet controls pod %s", pod.Name)
				}
				if slices.ContainsFunc(family.Subsets, func(subset *appsv1.DaemonSet) bool { return owner != nil && subset.UID == owner.UID }) {
					ofSubsets++
				}
			}
			if ofSubsets == 0 {
				return fmt.Errorf("no DaemonSet of a subset has a pod")
			}
		}
		return nil
	})
}

// ownAffinity holds when no two DaemonSets of the family have the same node affinity.
func ownAffinity() state.Condition {
	return state.Right("every DaemonSet of the family has a node affinity that no other has", func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			members := cluster.FamilyOf(united).Members()
			for i, one := range members {
				for _, another := range members[:i] {
					if equality.Semantic.DeepEqual(one.Spec.Template.Spec.Affinity, another.Spec.Template.Spec.Affinity) {
						return fmt.Errorf("DaemonSets %s and %s have the same", one.Name, another.Name)
					}
				}
			}
		}
		return nil
	})
}

// disjoint holds when the selector of each subset's DaemonSet selects its own pods alone of all there are, and the target's selects every pod.
func disjoint() state.Condition {
	return state.Right("selectors of subsets select their own pods alone, and the target's the whole family", func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			family := cluster.FamilyOf(united)
			if family.Target == nil {
				continue
			}
			for _, pod := range cluster.Pods {
				owner := cluster.OwnerOf(pod)
				if owner == nil || pod.Namespace != united.Namespace {
					continue
				}
				if !selects(family.Target, pod) {
					return fmt.Errorf("the target's selector does not select pod %s", pod.Name)
				}
				for _, subset := range family.Subsets {
					if selects(subset, pod) != (subset.UID == owner.UID) {
						return fmt.Errorf("the selector of DaemonSet %s and pod %s of DaemonSet %s", subset.Name, pod.Name, owner.Name)
					}
				}
			}
		}
		return nil
	})
}

func selects(ds *appsv1.DaemonSet, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// meddled happens when somebody changes more of the target's spec than its affinity and strategy; the scenario changes nothing.
func meddled() Event {
	return targetWritten("otherwise than in affinity and strategy", func(before, after *appsv1.DaemonSet) bool { return !alike(before, after) })
}

// touched happens when somebody changes the target's affinity.
func touched() Event {
	return targetWritten("in its affinity", func(before, after *appsv1.DaemonSet) bool {
		return !equality.Semantic.DeepEqual(before.Spec.Template.Spec.Affinity, after.Spec.Template.Spec.Affinity)
	})
}

func targetWritten(text string, is func(before, after *appsv1.DaemonSet) bool) Event {
	return Written().Where("of the target, "+text, func(m Moment) bool {
		after, ok := m.Object.(*appsv1.DaemonSet)
		before, existed := m.Before.(*appsv1.DaemonSet)
		return ok && existed && after.Name == target && is(before, after)
	})
}

// alike reports whether the specs are the same but for affinity and strategy.
func alike(a, b *appsv1.DaemonSet) bool {
	bare := func(ds *appsv1.DaemonSet) appsv1.DaemonSetSpec {
		spec := *ds.Spec.DeepCopy()
		spec.Template.Spec.Affinity, spec.UpdateStrategy = nil, appsv1.DaemonSetUpdateStrategy{}
		return spec
	}
	return equality.Semantic.DeepEqual(bare(a), bare(b))
}
