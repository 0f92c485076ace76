package implementation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// remove deletes the objects, the last first, each with all that depends on it, and returns when they are gone.
func remove(ctx context.Context, c client.Client, installed []*unstructured.Unstructured) error {
	var failures []error
	for _, object := range slices.Backward(installed) {
		var left *unstructured.Unstructured
		err := c.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationForeground))
		if err == nil {
			err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
				found, err := current(ctx, c, object)
				if err == nil {
					left = found
				}
				return found == nil, err
			})
		}
		// A kind that the cluster does not know has no objects.
		if err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
			failures = append(failures, fmt.Errorf("deleting %s %s%s: %w", object.GetKind(), object.GetName(), hindrance(left), err))
		}
	}
	return errors.Join(failures...)
}

// hindrance is what keeps an object from going, as it says itself.
func hindrance(left *unstructured.Unstructured) string {
	if left == nil {
		return ""
	}
	var said []string
	if finalizers := left.GetFinalizers(); len(finalizers) > 0 {
		said = append(said, "finalizers "+strings.Join(finalizers, ", "))
	}
	// Not every kind has conditions.
	conditions, _, _ := unstructured.NestedSlice(left.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == string(apiextensionsv1.Terminating) {
			said = append(said, fmt.Sprint(fields["message"]))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

// current returns the object as it is; nil if there is none.
func current(ctx context.Context, c client.Client, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(object.GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return found, nil
}
