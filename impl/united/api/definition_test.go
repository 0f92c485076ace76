package api_test

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/fixtures"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

func definition(t *testing.T) apiextensionsv1.CustomResourceDefinitionVersion {
	t.Helper()
	g := NewWithT(t)
	text, err := fs.ReadFile(fixtures.Files(), "crds/uniteddaemonsets.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var crd apiextensionsv1.CustomResourceDefinition
	g.Expect(yaml.UnmarshalStrict(text, &crd)).To(Succeed())
	g.Expect(crd.Spec.Names.Kind).To(Equal(api.Kind))
	g.Expect(crd.Spec.Versions).To(HaveLen(1))
	return crd.Spec.Versions[0]
}

// kubectl explain shows the descriptions.
func TestEveryFieldIsExplained(t *testing.T) {
	seen := 0
	var explain func(path string, schema apiextensionsv1.JSONSchemaProps)
	explain = func(path string, schema apiextensionsv1.JSONSchemaProps) {
		for name, field := range schema.Properties {
			seen++
			if field.Description == "" {
				t.Errorf("%s.%s has no description", path, name)
			}
			explain(path+"."+name, field)
		}
		if schema.Items != nil && schema.Items.Schema != nil {
			explain(path+"[]", *schema.Items.Schema)
		}
	}
	explain("", *definition(t).Schema.OpenAPIV3Schema)
	if seen < 20 {
		t.Errorf("only %d fields found", seen)
	}
}

// kubectl get prints the columns, and kubectl wait reads conditions by type.
func TestEveryConditionHasAColumnAndIsExplained(t *testing.T) {
	g := NewWithT(t)
	var columns, conditions []string
	for _, column := range definition(t).AdditionalPrinterColumns {
		columns = append(columns, column.Name)
		if _, after, isCondition := strings.Cut(column.JSONPath, `@.type=="`); isCondition {
			condition, _, _ := strings.Cut(after, `"`)
			conditions = append(conditions, condition)
			g.Expect(definition(t).Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"].Description).To(ContainSubstring(condition + " ("))
		}
	}
	g.Expect(conditions).To(ConsistOf(api.Effective, api.SubsetsValid, api.Overlapping, api.Settled))
	g.Expect(columns).To(Equal([]string{"Target", "Effective", "Valid", "Settled", "Overlapping", "Age"}))
}

func TestTheDefinitionHasEveryFieldOfTheTypes(t *testing.T) {
	g := NewWithT(t)
	top := definition(t).Schema.OpenAPIV3Schema.Properties
	for name, of := range map[string]any{"spec": api.Spec{}, "status": api.Status{}} {
		g.Expect(top).To(HaveKey(name))
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			g.Expect(top[name].Properties).To(HaveKey(tag))
		}
	}
}
