// Package observe turns what the caches hold about one StatefulSet into a plain plan.State. It only reads.
package observe

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// Observe returns what cache holds about the StatefulSet named key. The error is the API's NotFound if there is none. What is in the result is shared with
// the cache and must not be changed.
func Observe(ctx context.Context, cache client.Reader, key types.NamespacedName) (plan.State, error) {
	state := plan.State{Set: &appsv1.StatefulSet{}}
	if err := cache.Get(ctx, key, state.Set); err != nil {
		return plan.State{}, fmt.Errorf("read StatefulSet %s: %w", key, err)
	}
	var pods corev1.PodList
	if err := cache.List(ctx, &pods, client.InNamespace(key.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return plan.State{}, fmt.Errorf("list the pods of namespace %s: %w", key.Namespace, err)
	}
	for i := range pods.Items {
		if metav1.IsControlledBy(&pods.Items[i], state.Set) {
			state.Pods = append(state.Pods, &pods.Items[i])
		}
	}
	var revisions appsv1.ControllerRevisionList
	if err := cache.List(ctx, &revisions, client.InNamespace(key.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return plan.State{}, fmt.Errorf("list the ControllerRevisions of namespace %s: %w", key.Namespace, err)
	}
	for i := range revisions.Items {
		if metav1.IsControlledBy(&revisions.Items[i], state.Set) {
			state.Revisions = append(state.Revisions, &revisions.Items[i])
		}
	}
	return state, nil
}
