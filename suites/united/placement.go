package united

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// What follows asks, each in one respect, on which nodes the pods of the scenario's family are.

// livePod is one that does not terminate, with its node and its DaemonSet.
type livePod struct {
	node string
	pod  *corev1.Pod
	by   *appsv1.DaemonSet
}

// livePods are those of the family, in the order of their nodes.
func livePods(cluster *history.Cluster, united *history.UnitedDaemonSet) []livePod {
	var all []livePod
	for _, ds := range cluster.FamilyOf(united).Members() {
		for name := range cluster.Nodes {
			for _, pod := range cluster.PodsOn(ds.UID, name) {
				if history.IsLive(pod) {
					all = append(all, livePod{node: name, pod: pod, by: ds})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b livePod) int { return strings.Compare(a.node, b.node) })
	return all
}

// ofFamily is a statement about the scenario's UnitedDaemonSet, whose target has to be there.
func ofFamily(text string, check func(cluster *history.Cluster, united *history.UnitedDaemonSet, family history.Family) error) state.Condition {
	return state.Right(text, func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			if united.Name != name {
				continue
			}
			family := cluster.FamilyOf(united)
			if family.Target == nil {
				return fmt.Errorf("there is no target")
			}
			return check(cluster, united, family)
		}
		return fmt.Errorf("there is no UnitedDaemonSet %s", name)
	})
}

// exactlyOn holds when the pods of that version are on these nodes, one on each, and on no others.
func exactlyOn(tag string, nodes ...string) state.Condition {
	return ofFamily(fmt.Sprintf("the pods of version %s are one on each of the nodes %s, and none elsewhere", tag, strings.Join(nodes, ", ")),
		func(cluster *history.Cluster, united *history.UnitedDaemonSet, _ history.Family) error {
			var found []string
			for _, one := range livePods(cluster, united) {
				if history.HasTag(&one.pod.Spec, tag) {
					found = append(found, one.node)
				}
			}
			if !slices.Equal(found, slices.Sorted(slices.Values(nodes))) {
				return fmt.Errorf("they are on %q", found)
			}
			return nil
		})
}

// withinSubsets holds when subsets have pods, and those of one DaemonSet are all on nodes of one subset, which no other DaemonSet has.
func withinSubsets() state.Condition {
	return ofFamily("subsets have pods, and the pods of each subset's DaemonSet are on nodes of that subset only",
		func(cluster *history.Cluster, united *history.UnitedDaemonSet, family history.Family) error {
			subsets := map[string]string{}
			for _, one := range livePods(cluster, united) {
				if one.by.UID == family.Target.UID {
					continue
				}
				subset := united.SubsetOf(cluster.Nodes[one.node])
				switch before := subsets[one.by.Name]; {
				case subset == nil:
					return fmt.Errorf("DaemonSet %s has a pod on node %s, which no subset selects", one.by.Name, one.node)
				case before != "" && before != subset.Name:
					return fmt.Errorf("DaemonSet %s has pods on nodes of the subsets %s and %s", one.by.Name, before, subset.Name)
				}
				subsets[one.by.Name] = subset.Name
			}
			if len(subsets) == 0 {
				return fmt.Errorf("no DaemonSet of a subset has a pod")
			}
			return nil
		})
}

// targetLeaves holds when the node affinity of the target's template leaves out the nodes of all subsets and no other, and its pods are where it says.
func targetLeaves() state.Condition {
	return ofFamily("the target's node affinity leaves out the nodes of all subsets, and its pods are on all others",
		func(cluster *history.Cluster, united *history.UnitedDaemonSet, family history.Family) error {
			required := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: family.Target.Spec.Template.Spec})
			for _, node := range cluster.Nodes {
				left := united.SubsetOf(node) != nil
				if matches, err := required.Match(node); err != nil || matches == left {
					return fmt.Errorf("the affinity selects node %s: %t (%v)", node.Name, matches, err)
				}
				pods := slices.DeleteFunc(livePods(cluster, united), func(one livePod) bool {
					return one.node != node.Name || !metav1.IsControlledBy(one.pod, family.Target)
				})
				if left != (len(pods) == 0) {
					return fmt.Errorf("the target has %d pods on node %s", len(pods), node.Name)
				}
			}
			return nil
		})
}
