package api_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// TestTheTypesAreThoseOfTheSchema compares the types of the reference, those of the harness, and the schema, none of which imports another.
func TestTheTypesAreThoseOfTheSchema(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "fixtures", "crds", "uniteddaemonsets.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	var crd apiextensions.CustomResourceDefinition
	g.Expect(yaml.UnmarshalStrict(text, &crd)).To(Succeed())

	for _, version := range []string{api.GroupVersion.Version, history.UnitedGroupVersion().Version} {
		g.Expect(crd.Spec.Versions).To(ConsistOf(HaveField("Name", version)))
	}
	g.Expect(crd.Spec.Group).To(And(Equal(api.GroupVersion.Group), Equal(history.UnitedGroupVersion().Group)))
	g.Expect(crd.Spec.Names.Kind).To(Equal(api.Kind))
	g.Expect(string(history.KindUnitedDaemonSet)).To(Equal(api.Kind + "." + crd.Spec.Group))

	schema := map[string]string{}
	ofSchema(schema, "", crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	g.Expect(ofType(reflect.TypeFor[api.UnitedDaemonSet]())).To(Equal(schema), "the reference's types")
	g.Expect(ofType(reflect.TypeFor[history.UnitedDaemonSet]())).To(Equal(schema), "the harness's types")
}

// ofSchema notes the type of each field by its path.
func ofSchema(fields map[string]string, path string, schema *apiextensions.JSONSchemaProps) {
	fields[path] = schema.Type
	for name, property := range schema.Properties {
		ofSchema(fields, path+"."+name, &property)
	}
	if schema.Items != nil {
		ofSchema(fields, path+"[]", schema.Items.Schema)
	}
}

// ofType is ofSchema of a Go type, without what every object has.
func ofType(object reflect.Type) map[string]string {
	fields := map[string]string{}
	noteType(fields, "", object)
	return fields
}

func noteType(fields map[string]string, path string, of reflect.Type) {
	switch of {
	case reflect.TypeFor[metav1.Time]():
		fields[path] = "string"
		return
	case reflect.TypeFor[runtime.RawExtension]():
		fields[path] = "object"
		return
	}
	switch of.Kind() {
	case reflect.Pointer:
		noteType(fields, path, of.Elem())
	case reflect.Slice:
		fields[path] = "array"
		noteType(fields, path+"[]", of.Elem())
	case reflect.Struct:
		fields[path] = "object"
		for field := range of.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "metadata" {
				noteType(fields, path+"."+name, field.Type)
			}
		}
	case reflect.Int32, reflect.Int64:
		fields[path] = "integer"
	default:
		fields[path] = of.Kind().String()
	}
}
