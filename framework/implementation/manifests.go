package implementation

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// fieldOwner is under whose name the objects of manifests are applied.
const fieldOwner = client.FieldOwner("rollcall")

// objects parses a manifest: one or more documents, each an object with a kind and a name.
func objects(manifest []byte) ([]*unstructured.Unstructured, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	var all []*unstructured.Unstructured
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(all)+1, err)
		}
		if len(object.Object) == 0 {
			continue // nothing but comments
		}
		if object.GetAPIVersion() == "" || object.GetKind() == "" || object.GetName() == "" {
			return nil, fmt.Errorf("document %d is no Kubernetes object: it needs apiVersion, kind and metadata.name", len(all)+1)
		}
		all = append(all, object)
	}
	if len(all) == 0 {
		return nil, errors.New("it holds no objects")
	}
	return all, nil
}

// apply makes the cluster hold the objects of the manifests, whatever it held before.
func apply(ctx context.Context, c client.Client, manifests []Manifest) error {
	for _, manifest := range manifests {
		parsed, err := objects(manifest.Content)
		if err != nil {
			return fmt.Errorf("applying %s: %w", manifest.Path, err)
		}
		for _, object := range parsed {
			desired := client.ApplyConfigurationFromUnstructured(object)
			if err := c.Apply(ctx, desired, fieldOwner, client.ForceOwnership); err != nil {
				return fmt.Errorf("applying %s: %s %s: %w", manifest.Path, object.GetKind(), object.GetName(), err)
			}
		}
	}
	return nil
}
