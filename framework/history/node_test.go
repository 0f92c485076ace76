package history_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestNodeOf(t *testing.T) {
	named := func(names ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: names}
	}
	zone := corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}
	fields := func(all ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: all}
	}
	for _, test := range []struct {
		name  string
		bound string
		terms []corev1.NodeSelectorTerm
		want  string
	}{
		{"bound", "b", []corev1.NodeSelectorTerm{fields(named("a"))}, "b"},
		{"pinned", "", []corev1.NodeSelectorTerm{fields(named("a"))}, "a"},
		{"pinned in a zone", "", []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{zone}, MatchFields: []corev1.NodeSelectorRequirement{named("a")}}}, "a"},
		{"pinned to one of those that the template names", "", []corev1.NodeSelectorTerm{fields(named("a", "b"), named("b"))}, "b"},
		{"pinned by every term, of which one names another node", "", []corev1.NodeSelectorTerm{fields(named("a"), named("b")), fields(named("b"))}, "b"},
		{"pinned to none", "", []corev1.NodeSelectorTerm{fields(named("a"), named("b"))}, ""},
		{"for several", "", []corev1.NodeSelectorTerm{fields(named("a", "b"))}, ""},
		{"for any", "", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: test.bound, Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: test.terms},
			}}}}
			if got := history.NodeOf(pod); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
