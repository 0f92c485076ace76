package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// UnitedPlaced holds when every node has exactly one pod of the family of the UnitedDaemonSet of that name, which is available and has the image that its
// subset's patch sets, or is the target's where no subset selects the node. With names of nodes, those alone.
func UnitedPlaced(name string, nodes ...string) Condition {
	which := "every node"
	if len(nodes) > 0 {
		which = "each of the nodes " + strings.Join(nodes, ", ")
	}
	return ofUnited(name, which+" has one available pod of the family, of the image that it should have", func(cluster *history.Cluster, united *history.UnitedDaemonSet) string {
		family := cluster.FamilyOf(united)
		if family.Target == nil {
			return "there is no target"
		}
		var wrong []string
		for _, node := range cluster.Nodes {
			if len(nodes) > 0 && !slices.Contains(nodes, node.Name) {
				continue
			}
			if problem := placed(cluster, united, family, node); problem != "" {
				wrong = append(wrong, fmt.Sprintf("node %s %s", node.Name, problem))
			}
		}
		slices.Sort(wrong)
		return some(wrong)
	})
}

func placed(cluster *history.Cluster, united *history.UnitedDaemonSet, family history.Family, node *corev1.Node) string {
	subset := united.SubsetOf(node)
	container := &family.Target.Spec.Template.Spec.Containers[0]
	image := container.Image
	if subset != nil {
		if patched := PatchedImage(subset.Patch); patched != "" {
			image = patched
		}
	}
	pods := familyPods(cluster, family, node.Name)
	if len(pods) != 1 {
		return fmt.Sprintf("has %d pods of the family", len(pods))
	}
	pod := pods[0]
	switch {
	case !history.HasImage(pod, container.Name, image):
		return "has a pod of another image than " + image
	case subset == nil && !metav1.IsControlledBy(pod, family.Target):
		return "has a pod of a subset that does not select it"
	case !history.IsAvailable(pod, family.Target.Spec.MinReadySeconds, cluster.Time):
		return "has a pod that is not available"
	}
	return ""
}

func familyPods(cluster *history.Cluster, family history.Family, node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, ds := range family.Members() {
		pods = append(pods, cluster.PodsOn(ds.UID, node)...)
	}
	return pods
}

// PatchedImage is the image that a patch sets for its first container; empty if it sets none.
func PatchedImage(patch history.UnitedPatch) string {
	var template corev1.PodTemplateSpec
	if patch.Template == nil || json.Unmarshal(patch.Template.Raw, &template) != nil || len(template.Spec.Containers) == 0 {
		return ""
	}
	return template.Spec.Containers[0].Image
}

// UnitedSingle holds when every node has exactly one pod of the family of the UnitedDaemonSet of that name that does not terminate, whichever it is.
func UnitedSingle(name string) Condition {
	return ofUnited(name, "every node has one pod of the family that does not terminate", func(cluster *history.Cluster, united *history.UnitedDaemonSet) string {
		family := cluster.FamilyOf(united)
		var wrong []string
		for node := range cluster.Nodes {
			pods := slices.DeleteFunc(familyPods(cluster, family, node), func(pod *corev1.Pod) bool { return !history.IsLive(pod) })
			if len(pods) != 1 {
				wrong = append(wrong, fmt.Sprintf("node %s has %d pods of the family", node, len(pods)))
			}
		}
		slices.Sort(wrong)
		return some(wrong)
	})
}

// UnitedObserved holds when the status of the UnitedDaemonSet of that name is about its present generation.
func UnitedObserved(name string) Condition {
	return ofUnited(name, "its status observes its generation", func(_ *history.Cluster, united *history.UnitedDaemonSet) string {
		if united.Status.ObservedGeneration != united.Generation {
			return fmt.Sprintf("its status observes generation %d, not %d", united.Status.ObservedGeneration, united.Generation)
		}
		return ""
	})
}

// UnitedReported holds when the status of the UnitedDaemonSet of that name says which nodes each subset has, and how many.
func UnitedReported(name string) Condition {
	return ofUnited(name, "its status has every subset with its nodes", func(cluster *history.Cluster, united *history.UnitedDaemonSet) string {
		var want []history.UnitedSubsetStatus
		for _, subset := range united.Spec.Subsets {
			var nodes []string
			for _, node := range cluster.Nodes {
				if first := united.SubsetOf(node); first != nil && first.Name == subset.Name {
					nodes = append(nodes, node.Name)
				}
			}
			slices.Sort(nodes)
			want = append(want, history.UnitedSubsetStatus{Name: subset.Name, DesiredNumberScheduled: int32(len(nodes)), MatchNodes: nodes})
		}
		// In whichever order it lists them.
		byName := func(a, b history.UnitedSubsetStatus) int { return cmp.Compare(a.Name, b.Name) }
		same := slices.EqualFunc(slices.SortedFunc(slices.Values(want), byName), slices.SortedFunc(slices.Values(united.Status.SubsetStatuses), byName), func(a, b history.UnitedSubsetStatus) bool {
			return a.Name == b.Name && a.DesiredNumberScheduled == b.DesiredNumberScheduled && a.NumberMisscheduled == b.NumberMisscheduled &&
				slices.Equal(a.MatchNodes, b.MatchNodes)
		})
		if !same {
			return fmt.Sprintf("its status has subsets %+v, not %+v", united.Status.SubsetStatuses, want)
		}
		return ""
	})
}

// UnitedDaemonSets holds when the UnitedDaemonSet of that name controls one DaemonSet for each of its subsets, and no other.
func UnitedDaemonSets(name string) Condition {
	return ofUnited(name, "it controls a DaemonSet for each subset", func(cluster *history.Cluster, united *history.UnitedDaemonSet) string {
		if there := len(cluster.FamilyOf(united).Subsets); there != len(united.Spec.Subsets) {
			return fmt.Sprintf("it controls %d DaemonSets for %d subsets", there, len(united.Spec.Subsets))
		}
		return ""
	})
}

// UnitedLabelled holds when the nodes of each subset that has any share a label, with a value, that no other node has.
func UnitedLabelled(name string) Condition {
	return ofUnited(name, "the nodes of each subset have a label that tells them from all others", func(cluster *history.Cluster, united *history.UnitedDaemonSet) string {
		members := map[string][]*corev1.Node{}
		var others []*corev1.Node
		for _, node := range cluster.Nodes {
			if subset := united.SubsetOf(node); subset != nil {
				members[subset.Name] = append(members[subset.Name], node)
			} else {
				others = append(others, node)
			}
		}
		for subset, nodes := range members {
			outside := slices.Clone(others)
			for other, more := range members {
				if other != subset {
					outside = append(outside, more...)
				}
			}
			if !toldApart(united, nodes, outside) {
				return fmt.Sprintf("no label tells the nodes of subset %s from the others", subset)
			}
		}
		return ""
	})
}

// toldApart reports whether the nodes share a label that none of the others has: one of the implementation's, not one that they are selected by.
func toldApart(united *history.UnitedDaemonSet, nodes, others []*corev1.Node) bool {
	for key, value := range nodes[0].Labels {
		if key == corev1.LabelHostname || slices.ContainsFunc(united.Spec.Subsets, func(subset history.UnitedSubset) bool { return subset.Selector.Asks(key) }) {
			continue
		}
		has := func(node *corev1.Node) bool { return node.Labels[key] == value }
		lacks := func(node *corev1.Node) bool { return !has(node) }
		if !slices.ContainsFunc(nodes, lacks) && !slices.ContainsFunc(others, has) {
			return true
		}
	}
	return false
}

// UnitedGone holds when there is no UnitedDaemonSet of that name, and no DaemonSet but that of the target.
func UnitedGone(name, target string) Condition {
	return Right("UnitedDaemonSet "+name+" and all DaemonSets but its target are gone", func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			if united.Name == name {
				return fmt.Errorf("UnitedDaemonSet %s exists", name)
			}
		}
		found := false
		for _, ds := range cluster.DaemonSets {
			found = found || ds.Name == target
			if ds.Name != target && !isMark(ds) {
				return fmt.Errorf("DaemonSet %s exists", ds.Name)
			}
		}
		if !found {
			return fmt.Errorf("DaemonSet %s is gone", target)
		}
		return nil
	})
}

// isMark reports whether the DaemonSet is one that a recording makes for its own end.
func isMark(ds *appsv1.DaemonSet) bool {
	_, mark := ds.Spec.Template.Labels[history.MarkAnnotation]
	return mark
}

// UnitedCondition holds when the UnitedDaemonSet of that name has a condition with a message of which the predicate is true.
func UnitedCondition(name, text string, is func(metav1.Condition) bool) Condition {
	return ofUnited(name, "a condition "+text, func(_ *history.Cluster, united *history.UnitedDaemonSet) string {
		if slices.ContainsFunc(united.Status.Conditions, is) {
			return ""
		}
		return "no condition " + text
	})
}

func ofUnited(name, text string, unmet func(*history.Cluster, *history.UnitedDaemonSet) string) Condition {
	return Condition{Text: fmt.Sprintf("UnitedDaemonSet %s: %s", name, text), Unmet: func(cluster *history.Cluster) string {
		for _, united := range cluster.United() {
			if united.Name == name {
				return unmet(cluster, united)
			}
		}
		return fmt.Sprintf("there is no UnitedDaemonSet %s", name)
	}}
}
