package main

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// writeVariant writes into the folder an implementation file of the variant of the toy, which executable runs, and returns its path.
func writeVariant(folder, executable string) (string, error) {
	text, err := trial.Shipped("implementations/" + implementation + ".yaml")
	if err != nil {
		return "", err
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		return "", fmt.Errorf("read the toy's implementation file: %w", err)
	}
	manifests := map[string][]byte{}
	var names []string
	for name, path := range map[string]string{"daemons.yaml": "crds/daemons.yaml", "rbac.yaml": "rbac/toy.yaml"} {
		if manifests[name], err = trial.Shipped(path); err != nil {
			return "", err
		}
		names = append(names, name)
	}
	process := []string{"spec", "launch", "process"}
	args, found, err := unstructured.NestedStringSlice(file, append(process, "args")...)
	if err != nil || !found {
		return "", fmt.Errorf("the toy's implementation file has no spec.launch.process.args (%w)", err)
	}
	unstructured.RemoveNestedField(file, append(process, "goPackage")...)
	err = errors.Join(
		unstructured.SetNestedField(file, implementation+"-"+variant, "metadata", "name"),
		unstructured.SetNestedField(file, executable, append(process, "executable")...),
		unstructured.SetNestedStringSlice(file, append([]string{"--variant=" + variant, "--workload=" + implementation}, args...), append(process, "args")...),
		unstructured.SetNestedStringSlice(file, names, append(process, "manifests")...),
	)
	if err != nil {
		return "", fmt.Errorf("change the toy's implementation file: %w", err)
	}
	return trial.Implementation{File: file, Manifests: manifests}.Write(folder + "-implementation")
}
