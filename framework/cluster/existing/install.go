package existing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// inventoryName is the ConfigMap that lists what is installed, inventoryKey where in it.
	inventoryName, inventoryKey = "installed", "objects"
)

// installed is one object that a run installs.
type installed struct {
	metav1.TypeMeta `json:",inline"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name"`
}

func (i installed) String() string {
	if i.Namespace == "" {
		return i.Kind + " " + i.Name
	}
	return i.Kind + " " + i.Namespace + "/" + i.Name
}

func (i installed) object() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: i.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: i.Name}}
}

// WillInstall writes down what is about to be installed, in this order, so that Stop, or the next run, removes it. One that is there already is an error:
// it is somebody's, and could not be put back.
func (c *Cluster) WillInstall(ctx context.Context, objects []*unstructured.Unstructured) error {
	if len(objects) == 0 {
		return nil
	}
	var all []installed
	var there []error
	for _, object := range objects {
		one := installed{
			TypeMeta:  metav1.TypeMeta{APIVersion: object.GetAPIVersion(), Kind: object.GetKind()},
			Namespace: object.GetNamespace(), Name: object.GetName(),
		}
		err := c.objects.Get(ctx, client.ObjectKeyFromObject(object), one.object())
		switch {
		case err == nil:
			there = append(there, fmt.Errorf("%s is in the cluster already, and installing the implementation would change it: "+
				"remove it, or have an implementation that runs already be tested with launch: {none: {}}", one))
		case !absent(err):
			return fmt.Errorf("look for %s: %w", one, err)
		}
		all = append(all, one)
	}
	if len(there) > 0 {
		return errors.Join(there...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_, err = c.client.CoreV1().ConfigMaps(namespaceName).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: inventoryName}, Data: map[string]string{inventoryKey: string(text)},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("write down what will be installed: %w", err)
	}
	return nil
}

// absent reports whether an object is not there: by its name, or since the cluster does not know its kind.
func absent(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// uninstall removes what is written down, the last first, and returns when it is gone.
func (c *Cluster) uninstall(ctx context.Context) error {
	inventories := c.client.CoreV1().ConfigMaps(namespaceName)
	inventory, err := inventories.Get(ctx, inventoryName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	var all []installed
	if err == nil {
		err = json.Unmarshal([]byte(inventory.Data[inventoryKey]), &all)
	}
	if err != nil {
		return fmt.Errorf("read what is installed: %w", err)
	}
	var failures []error
	for _, one := range slices.Backward(all) {
		err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
			err := c.objects.Delete(ctx, one.object(), client.PropagationPolicy(metav1.DeletePropagationForeground))
			return absent(err), ignore(err, absent, apierrors.IsConflict)
		})
		if err != nil {
			failures = append(failures, fmt.Errorf("remove %s: %w", one, err))
		}
	}
	if len(failures) > 0 {
		return errors.Join(failures...)
	}
	return client.IgnoreNotFound(inventories.Delete(ctx, inventoryName, metav1.DeleteOptions{}))
}
