package trial

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// VariantProgram is the package of the command that runs a variant of the reference.
const VariantProgram = "github.com/rollcall-conformance/rollcall/hack/mutants/rollcall-variant"

//go:embed variant.yaml
var variantRBAC []byte

// WriteVariant writes into the folder an implementation file of that name, of the variant, which executable runs, and returns its path.
func WriteVariant(folder, name, variant, executable string) (string, error) {
	file, err := ReferenceFile()
	if err != nil {
		return "", err
	}
	reference, err := Shipped("rbac/reference.yaml")
	if err != nil {
		return "", err
	}
	definition, err := Shipped("crds/uniteddaemonsets.yaml")
	if err != nil {
		return "", err
	}
	deployment, err := Shipped("deployments/reference.yaml")
	if err != nil {
		return "", err
	}
	const first = "          args:\n"
	if !strings.Contains(string(deployment), first) {
		return "", errors.New("the reference's deployment has no arguments to put the variant before")
	}
	if err := runVariant(file, name, variant, executable); err != nil {
		return "", fmt.Errorf("change the reference's implementation file: %w", err)
	}
	manifests := map[string][]byte{
		"definition.yaml": definition,
		"reference.yaml":  reference,
		"variant.yaml":    variantRBAC,
		"deployment.yaml": []byte(strings.Replace(string(deployment), first, first+"            - --variant="+variant+"\n", 1)),
	}
	return Implementation{File: file, Manifests: manifests}.Write(filepath.Join(folder, "implementation"))
}

// runVariant changes the reference's implementation file to one of the variant.
func runVariant(file map[string]any, name, variant, executable string) error {
	args, found, err := unstructured.NestedStringSlice(file, "spec", "launch", "process", "args")
	if err != nil || !found {
		return fmt.Errorf("it has no spec.launch.process.args (%v)", err)
	}
	unstructured.RemoveNestedField(file, "spec", "launch", "process", "goPackage")
	return errors.Join(
		unstructured.SetNestedField(file, "reference-"+name, "metadata", "name"),
		unstructured.SetNestedField(file, executable, "spec", "launch", "process", "executable"),
		unstructured.SetNestedStringSlice(file, append([]string{"--variant=" + variant}, args...), "spec", "launch", "process", "args"),
		unstructured.SetNestedStringSlice(file, []string{"definition.yaml", "reference.yaml", "variant.yaml"}, "spec", "launch", "process", "manifests"),
		unstructured.SetNestedField(file, VariantProgram, "spec", "launch", "image", "goPackage"),
		unstructured.SetNestedStringSlice(file, []string{"definition.yaml", "reference.yaml", "variant.yaml", "deployment.yaml"}, "spec", "launch", "image", "manifests"),
	)
}
