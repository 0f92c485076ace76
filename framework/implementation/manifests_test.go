package implementation

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// lateMapper knows no kind until it was asked some times.
type lateMapper struct {
	meta.RESTMapper
	unknownTo int
}

func (m *lateMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if m.unknownTo > 0 {
		m.unknownTo--
		return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
	}
	return m.RESTMapper.RESTMapping(kind, versions...)
}

func TestAnImplementationFindsTheKindsThatItsManifestsDefine(t *testing.T) {
	g := NewWithT(t)
	defined := schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Daemon"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{defined.GroupVersion()})
	mapper.Add(defined, meta.RESTScopeNamespace)
	late := &lateMapper{RESTMapper: mapper, unknownTo: 2}
	c := fake.NewClientBuilder().WithRESTMapper(late).Build()
	definitions, err := objects([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: daemons.example.org}\n" +
		"spec: {group: example.org, names: {kind: Daemon}}\n"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(awaitServed(t.Context(), c, definitions[0])).To(Succeed())
	g.Expect(late.unknownTo).To(BeZero())

	late.unknownTo = 1000
	cut, cancel := context.WithTimeout(t.Context(), 2*pollInterval)
	defer cancel()
	g.Expect(awaitServed(cut, c, definitions[0])).To(MatchError(HavePrefix("waiting for the API server to have the kind Daemon of example.org: ")))
}
