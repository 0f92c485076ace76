package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// referenceProgram is the package of the command that runs the reference as it is.
const referenceProgram = "github.com/rollcall-conformance/rollcall/impl/cmd/rollcall-reference"

// writeReference writes into the folder an implementation file of the reference, which executable runs as a process, and returns its path.
func writeReference(folder, executable string) (string, error) {
	file, err := trial.ReferenceFile()
	if err != nil {
		return "", err
	}
	definition, err := trial.Shipped("crds/uniteddaemonsets.yaml")
	if err != nil {
		return "", err
	}
	reference, err := trial.Shipped("rbac/reference.yaml")
	if err != nil {
		return "", err
	}
	unstructured.RemoveNestedField(file, "spec", "launch", "image")
	unstructured.RemoveNestedField(file, "spec", "launch", "process", "goPackage")
	err = errors.Join(
		unstructured.SetNestedField(file, executable, "spec", "launch", "process", "executable"),
		unstructured.SetNestedStringSlice(file, []string{"definition.yaml", "reference.yaml"}, "spec", "launch", "process", "manifests"))
	if err != nil {
		return "", fmt.Errorf("change the reference's implementation file: %w", err)
	}
	manifests := map[string][]byte{"definition.yaml": definition, "reference.yaml": reference}
	return trial.Implementation{File: file, Manifests: manifests}.Write(filepath.Join(folder, "implementation"))
}
