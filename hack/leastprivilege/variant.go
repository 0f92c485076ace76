package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// readyTimeout is how long the reference may take to become ready; it takes less than a second.
const readyTimeout = 15 * time.Second

// reference returns the objects that are applied for the reference before it is launched.
func reference() ([]*unstructured.Unstructured, error) {
	catalogue, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	loaded, err := implementation.Load("reference", catalogue)
	if err != nil {
		return nil, err
	}
	if loaded.Launch.Process == nil {
		return nil, errors.New("the reference is not launched as a process: what it may do is not known")
	}
	var objects []*unstructured.Unstructured
	for _, manifest := range loaded.Launch.Process.Manifests {
		parsed, err := parse(manifest.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", manifest.Path, err)
		}
		objects = append(objects, parsed...)
	}
	return objects, nil
}

// writeVariant writes into the folder an implementation file of the reference for which these objects are applied, and returns its path.
func writeVariant(folder string, objects []*unstructured.Unstructured) (string, error) {
	file, err := trial.ReferenceFile()
	if err != nil {
		return "", err
	}
	const manifest = "rbac.yaml"
	if err := limit(file, manifest); err != nil {
		return "", fmt.Errorf("change the reference's implementation file: %w", err)
	}
	text, err := format(objects)
	if err != nil {
		return "", err
	}
	return trial.Implementation{File: file, Manifests: map[string][]byte{manifest: text}}.Write(folder)
}

// limit changes the reference's implementation file: the manifest is the only one, and the reference uses all that it may need
// somewhere. It elects a leader, and lists what it watches, as it does where the API server streams no lists.
func limit(file map[string]any, manifest string) error {
	process, found, err := unstructured.NestedMap(file, "spec", "launch", "process")
	if err != nil || !found {
		return fmt.Errorf("it has no spec.launch.process (%v)", err)
	}
	args, _, err := unstructured.NestedStringSlice(process, "args")
	if err != nil {
		return err
	}
	elect := slices.Index(args, "--leader-elect=false")
	if elect < 0 {
		return fmt.Errorf("its arguments %q do not switch the leader election off: there is nothing to switch on", args)
	}
	args[elect] = "--leader-elect=true"
	unstructured.RemoveNestedField(file, "spec", "launch", "image")
	return errors.Join(
		unstructured.SetNestedStringSlice(process, args, "args"),
		unstructured.SetNestedStringSlice(process, []string{manifest}, "manifests"),
		unstructured.SetNestedField(process, "false", "env", "KUBE_FEATURE_WatchListClient"),
		unstructured.SetNestedField(process, readyTimeout.String(), "ready", "timeout"),
		unstructured.SetNestedMap(file, process, "spec", "launch", "process"),
	)
}
