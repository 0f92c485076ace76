package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulViews go by other words of what there is.
func lawfulViews() []Variant {
	return []Variant{
		{Name: "keeps-the-affinity-of-the-template", Says: "Adds the node to each required term of the template's node affinity, where the reference puts the node in their place.",
			Lawful: "SURGE-026 asks for a required node affinity on the node's name, and each term has one. Node affinity is the controller's to write (API-023), and the node is one that the terms select (TARGET-001).",
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				actions.CreatePods = slices.Clone(actions.CreatePods)
				for i := range actions.CreatePods {
					creation := &actions.CreatePods[i]
					creation.Pod = creation.Pod.DeepCopy()
					addTerms(creation.Pod, state.DaemonSet.Spec.Template.Spec.Affinity, creation.Node)
				}
			})},
	}
}

// addTerms gives a pod the required terms of the affinity that allow the node by its name, each for that node alone. Where there is none the pod stays as it is.
func addTerms(pod *corev1.Pod, affinity *corev1.Affinity, node string) {
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	var terms []corev1.NodeSelectorTerm
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		selectsNothing := len(term.MatchExpressions)+len(term.MatchFields) == 0
		if selectsNothing || !allowsName(term, node) {
			continue
		}
		term = *term.DeepCopy()
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}
		terms = append(terms, term)
	}
	pinned := pod.Spec.Affinity != nil && pod.Spec.Affinity.NodeAffinity != nil && pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
	if pinned && len(terms) > 0 {
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = terms
	}
}

// allowsName reports whether the fields of the term, of which there is the name alone, allow the node.
func allowsName(term corev1.NodeSelectorTerm, node string) bool {
	for _, field := range term.MatchFields {
		if (field.Operator == corev1.NodeSelectorOpIn) != slices.Contains(field.Values, node) {
			return false
		}
	}
	return true
}
