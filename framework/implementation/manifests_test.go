package implementation

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestWhatWasThereBeforeAnImplementationStaysWhenItGoes(t *testing.T) {
	for name, tt := range map[string]struct {
		before []client.Object
		left   bool
	}{
		"its namespace is its own":  {nil, false},
		"its namespace was there":   {[]client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}}, true},
		"some of it was left there": {[]client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "mine", Name: "settings"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := fake.NewClientBuilder().WithObjects(tt.before...).Build()
			installed, err := install(t.Context(), c, []Manifest{{Path: "m.yaml", Content: []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n---\n" +
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: mine}\n")}})
			g.Expect(err).NotTo(HaveOccurred())
			var settings corev1.ConfigMap
			g.Expect(c.Get(t.Context(), client.ObjectKey{Namespace: "mine", Name: "settings"}, &settings)).To(Succeed())

			g.Expect(remove(t.Context(), c, installed)).To(Succeed())
			g.Expect(remove(t.Context(), c, installed)).To(Succeed(), "what is gone is gone")
			var namespaces corev1.NamespaceList
			var maps corev1.ConfigMapList
			g.Expect(errors.Join(c.List(t.Context(), &namespaces), c.List(t.Context(), &maps))).To(Succeed())
			g.Expect(namespaces.Items).To(HaveLen(map[bool]int{true: 1}[tt.left]))
			g.Expect(maps.Items).To(BeEmpty())
		})
	}
}
