package schedule

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Form is a way to write a DaemonSet. Those of every form mean the same, and so the same is promised.
type Form struct {
	// Name is the form's in the text of a schedule; empty for the plain form.
	Name string
	// Write rewrites a DaemonSet in the form. What is written in it already it leaves as it is.
	Write func(*appsv1.DaemonSet)
}

// Forms are all forms, the plain one first.
func Forms() []Form {
	return []Form{
		{"", func(*appsv1.DaemonSet) {}},
		{"percentages", inPercentages},
		{"terms", inTerms},
		{"expressions", inExpressions},
		{"escapes", withEscapes},
		{"long-name", withLongName},
	}
}

// FormOf returns the form of that name; false if there is none.
func FormOf(name string) (Form, bool) {
	for _, form := range Forms() {
		if form.Name == name {
			return form, true
		}
	}
	return Form{}, false
}

// absent is a label that neither pods nor nodes have.
const absent = "rollcall.dev/absent"

// inPercentages writes the limits 0 and 1 as percentages, which are the same of up to a hundred nodes.
func inPercentages(d *appsv1.DaemonSet) {
	rolling := d.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return
	}
	for _, limit := range []**intstr.IntOrString{&rolling.MaxSurge, &rolling.MaxUnavailable} {
		if *limit != nil && (*limit).Type == intstr.Int && (*limit).IntVal <= 1 {
			percentage := intstr.FromString((*limit).String() + "%")
			*limit = &percentage
		}
	}
}

// inTerms says of a template that asks nothing of nodes but labels that either of two alternatives will do: one that no node is, and one that every node is.
func inTerms(d *appsv1.DaemonSet) {
	spec := &d.Spec.Template.Spec
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	if spec.Affinity.NodeAffinity == nil {
		spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	if spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		return
	}
	is := func(operator corev1.NodeSelectorOperator) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: absent, Operator: operator}}}
	}
	spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{is(corev1.NodeSelectorOpExists), is(corev1.NodeSelectorOpDoesNotExist)},
	}
}

// inExpressions selects pods by expressions alone.
func inExpressions(d *appsv1.DaemonSet) {
	if len(d.Spec.Selector.MatchLabels) == 0 {
		return
	}
	selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: absent, Operator: metav1.LabelSelectorOpDoesNotExist}}}
	for _, key := range slices.Sorted(maps.Keys(d.Spec.Selector.MatchLabels)) {
		values := []string{"another", d.Spec.Selector.MatchLabels[key]}
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: values})
	}
	d.Spec.Selector = selector
}

// withEscapes gives the template an annotation whose JSON form differs from one encoder to the next.
func withEscapes(d *appsv1.DaemonSet) {
	metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "rollcall.dev/form", "<a href=\"b\"> & \\ \t \u2028 é")
}

// longestLabel is the most that the value of a label has; a DaemonSet's name may be longer.
const longestLabel = 63

// withLongName gives the DaemonSet a name that is too long for a label's value.
func withLongName(d *appsv1.DaemonSet) {
	if len(d.Name) <= longestLabel {
		d.Name += "-" + strings.Repeat("x", longestLabel)
	}
}
