package implementation

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// fieldOwner is under whose name the objects of manifests are applied.
const fieldOwner = client.FieldOwner("rollcall")

// pollInterval is the pause between two looks at the cluster.
const pollInterval = 200 * time.Millisecond

// administrator makes a client for manifests and what came of them.
func administrator(config *rest.Config) (client.Client, error) {
	config = rest.CopyConfig(config)
	config.WarningHandlerWithContext = rest.WarningLogger{}
	return client.New(config, client.Options{Log: klog.Background()})
}

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

// Installs lists what Launch would apply to the cluster, in the order of the manifests.
func (i *Implementation) Installs(options LaunchOptions) ([]*unstructured.Unstructured, error) {
	way, err := i.way(i.reaches(options.Machines != nil, options.Pull))
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	switch way {
	case byImage:
		manifests = i.Launch.Image.Manifests
	case byProcess:
		manifests = i.Launch.Process.Manifests
	}
	var all []*unstructured.Unstructured
	for _, manifest := range manifests {
		parsed, err := objects(manifest.Content)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", manifest.Path, err)
		}
		all = append(all, parsed...)
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
			if object.GroupVersionKind().GroupKind() == definition() {
				if err := awaitServed(ctx, c, object); err != nil {
					return fmt.Errorf("applying %s: %w", manifest.Path, err)
				}
			}
		}
	}
	return nil
}

// definition is the kind of objects that define kinds.
func definition() schema.GroupKind {
	return schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// servedTimeout bounds the wait for a new kind. It takes less than a second, unless another definition has its names.
const servedTimeout = 30 * time.Second

// awaitServed returns when the API server says that it has the kind that the object defines: who asks for it earlier, as an implementation at its start,
// is told that there is none.
func awaitServed(ctx context.Context, c client.Client, object *unstructured.Unstructured) error {
	// The API server has accepted the definition, so both are there.
	group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
	err := wait.PollUntilContextTimeout(ctx, pollInterval, servedTimeout, true, func(context.Context) (bool, error) {
		_, err := c.RESTMapper().RESTMapping(schema.GroupKind{Group: group, Kind: kind})
		if meta.IsNoMatchError(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server to have the kind %s of %s: %w", kind, group, err)
	}
	return nil
}

// outlive are the kinds that other objects live in or by: those that were there before the implementation stay when it goes.
func outlive() []schema.GroupKind {
	return []schema.GroupKind{{Kind: "Namespace"}, definition()}
}

// install applies the manifests and returns the objects that are to be removed with the implementation, in the order of the manifests, whether
// it succeeds or not.
func install(ctx context.Context, c client.Client, manifests []Manifest) ([]*unstructured.Unstructured, error) {
	var installed []*unstructured.Unstructured
	for _, manifest := range manifests {
		parsed, err := objects(manifest.Content)
		if err != nil {
			return installed, fmt.Errorf("applying %s: %w", manifest.Path, err)
		}
		for _, object := range parsed {
			if slices.Contains(outlive(), object.GroupVersionKind().GroupKind()) {
				before, err := current(ctx, c, object)
				if err != nil {
					return installed, fmt.Errorf("applying %s: %s %s: %w", manifest.Path, object.GetKind(), object.GetName(), err)
				}
				if before != nil {
					continue
				}
			}
			installed = append(installed, object)
		}
	}
	return installed, apply(ctx, c, manifests)
}
