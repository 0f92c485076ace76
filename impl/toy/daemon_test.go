package toy

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/yaml"
)

// definition is the CustomResourceDefinition of Daemons.
func definition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "crds", "daemons.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

// storage is by which an API server drops what Daemons do not have.
func storage(t *testing.T) *structuralschema.Structural {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	external := definition(t).Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(external, internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	return structural
}

// full returns a DaemonSet of which every field is set. Of the pods' spec, which Daemons take as it is, one field stands for all.
func full() *appsv1.DaemonSet {
	filler := randfill.NewWithSeed(1).NilChance(0).NumElements(1, 3).Funcs(
		func(*metav1.TypeMeta, randfill.Continue) {},
		func(t *metav1.Time, _ randfill.Continue) { *t = metav1.Unix(1790000000, 0) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { *f = *metav1.NewFieldsV1("{}") },
		func(i *intstr.IntOrString, c randfill.Continue) { *i = intstr.FromInt32(c.Int31()) },
		func(s *corev1.PodSpec, c randfill.Continue) { s.NodeName = c.String(9) },
	)
	ds := &appsv1.DaemonSet{}
	filler.Fill(ds)
	return ds
}

func TestADaemonHasEveryFieldOfADaemonSet(t *testing.T) {
	g := NewWithT(t)
	ds, api := full(), API()
	sent, err := json.Marshal(api.FromDaemonSet(ds.DeepCopy()))
	g.Expect(err).NotTo(HaveOccurred())
	var stored map[string]any
	g.Expect(json.Unmarshal(sent, &stored)).To(Succeed())
	dropped := pruning.PruneWithOptions(stored, storage(t), true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	g.Expect(dropped).To(BeEmpty(), "an API server would drop these")

	kept, err := json.Marshal(stored)
	g.Expect(err).NotTo(HaveOccurred())
	daemon := api.New()
	g.Expect(json.Unmarshal(kept, daemon)).To(Succeed())
	read := api.ToDaemonSet(daemon.DeepCopyObject().(client.Object))
	g.Expect(read).To(BeComparableTo(ds))
}

func TestTheDefinitionIsTheAPIs(t *testing.T) {
	g := NewWithT(t)
	kind, defined := API().GroupVersionKind, definition(t).Spec
	g.Expect([]string{defined.Group, defined.Versions[0].Name, defined.Names.Kind}).To(Equal([]string{kind.Group, kind.Version, kind.Kind}))
}
