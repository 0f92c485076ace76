package traces

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOnlyTracesAreTakenFromANode(t *testing.T) {
	g := NewWithT(t)
	taken := Traces{NodeLabelPrefix: "scenario.test/", NodeAnnotations: []string{"test/mark"}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Labels: map[string]string{"scenario.test/a": "", "other": "1"}, Annotations: map[string]string{"test/mark": "1", "kept": "2"},
	}}
	patch, err := taken.without(node)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(patch).To(MatchJSON(`{"metadata":{"labels":{"scenario.test/a":null},"annotations":{"test/mark":null}}}`))
	delete(node.Labels, "scenario.test/a")
	delete(node.Annotations, "test/mark")
	g.Expect(taken.without(node)).To(BeNil())
}
