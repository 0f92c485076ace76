package history

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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
		for _, field := range term.MatchFields {
			if field.Key == "metadata.name" && field.Operator == corev1.NodeSelectorOpIn && len(field.Values) == 1 {
				return field.Values[0]
			}
		}
	}
	return ""
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
