// Package admission has the rules that the API server is to enforce for the reference: host ports and maxSurge exclude each other, without the feature gate
// nobody begins to surge, and a pod update policy is one that there is.
//
// They are admission policies, not webhooks: the API server evaluates them itself. They need no certificate, cost no request, hold while the reference is
// down, and cannot make the API server unavailable. A process of the reference puts those of its feature gate in place, takes the others away, and is
// ready once the API server obeys.
package admission

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

//go:embed policies/surge-on.yaml
var surgeOn []byte

//go:embed policies/surge-off.yaml
var surgeOff []byte

//go:embed policies/pod-update-policy.yaml
var podUpdatePolicy []byte

// Policies returns the policies and bindings that belong in place with the feature gate DaemonSetUpdateSurge on or off, and those that do not.
func Policies(surge bool) (wanted, unwanted []*unstructured.Unstructured, err error) {
	on, err := decode(surgeOn)
	if err != nil {
		return nil, nil, err
	}
	off, err := decode(surgeOff)
	if err != nil {
		return nil, nil, err
	}
	always, err := decode(podUpdatePolicy)
	if err != nil {
		return nil, nil, err
	}
	if surge {
		return append(always, on...), off, nil
	}
	return append(always, off...), on, nil
}

func decode(documents []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(documents), len(documents))
	for {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("decode admission policies: %w", err)
		}
		objects = append(objects, object)
	}
}
