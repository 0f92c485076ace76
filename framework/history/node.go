package history

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeOf returns the node that the pod runs on or, before it is bound, the one it is pinned to by a required node affinity on
// metadata.name (SURGE-026); empty if it is neither.
func NodeOf(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if names, asks := namesIn(term); asks && len(names) == 1 {
			return names[0]
		}
	}
	return ""
}

// namesIn returns the names of nodes that the term allows, and whether it asks for names at all. One that asks for two different names allows none: a pod may
// be pinned by every term of its template, of which one may name another node.
func namesIn(term corev1.NodeSelectorTerm) (names []string, asks bool) {
	for _, field := range term.MatchFields {
		switch {
		case field.Key != metav1.ObjectNameField || field.Operator != corev1.NodeSelectorOpIn:
		case !asks:
			names, asks = field.Values, true
		default:
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(field.Values, name) })
		}
	}
	return names, asks
}

// NodeReady reports whether the node's kubelet says that it is ready, and is believed.
func NodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// SameToScenario reports whether nothing about the node has changed that a scenario could have caused or must reckon with. A node that was not there
// before, which is nil or no node, has changed.
func SameToScenario(earlier Object, now *corev1.Node) bool {
	before, existed := earlier.(*corev1.Node)
	return existed && before != nil && NodeReady(before) == NodeReady(now) && before.Spec.Unschedulable == now.Spec.Unschedulable &&
		equality.Semantic.DeepEqual(before.Spec.Taints, now.Spec.Taints) && maps.Equal(ownLabels(before), ownLabels(now))
}

// ownLabels are the node's labels without those of scenarios.
func ownLabels(node *corev1.Node) map[string]string {
	own := maps.Clone(node.Labels)
	maps.DeleteFunc(own, func(key, _ string) bool { return strings.HasPrefix(key, ScenarioPrefix) })
	return own
}
