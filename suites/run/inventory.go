package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// inventory is a file that names what implementations had installed in a cluster that outlives them: the next one must find neither their rights nor
// their pods.
type inventory string

// installed names an object.
type installed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// change removes what is installed and not among the objects, and notes the objects. It notes them before anybody installs them.
func (i inventory) change(ctx context.Context, config *rest.Config, objects []*unstructured.Unstructured) error {
	var before, now []installed
	text, err := os.ReadFile(string(i))
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read what earlier implementations installed: %w", err)
	}
	for _, object := range objects {
		now = append(now, installed{object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName()})
	}
	gone := slices.DeleteFunc(slices.Clone(before), func(one installed) bool { return slices.Contains(now, one) })
	// Both, until what is to go has gone.
	if err := i.write(append(slices.Clone(gone), now...)); err != nil {
		return err
	}
	if len(gone) == 0 {
		return nil
	}
	if err := uninstall(ctx, config, gone); err != nil {
		return err
	}
	return i.write(now)
}

func (i inventory) write(all []installed) error {
	text, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(string(i)+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(string(i)+".new", string(i))
	}
	if err != nil {
		return fmt.Errorf("note what is installed: %w", err)
	}
	return nil
}

// uninstall removes the objects, the last one first.
func uninstall(ctx context.Context, config *rest.Config, all []installed) error {
	cluster, err := client.New(config, client.Options{Log: klog.Background()})
	if err != nil {
		return err
	}
	for _, one := range slices.Backward(all) {
		object := &metav1.PartialObjectMetadata{}
		object.TypeMeta = metav1.TypeMeta{APIVersion: one.APIVersion, Kind: one.Kind}
		object.Namespace, object.Name = one.Namespace, one.Name
		err := cluster.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationForeground))
		if client.IgnoreNotFound(err) != nil && !meta.IsNoMatchError(err) {
			return fmt.Errorf("remove %s %s, which an earlier implementation installed: %w", one.Kind, one.Name, err)
		}
	}
	return nil
}
