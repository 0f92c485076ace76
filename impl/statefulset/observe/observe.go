// Package observe turns what the caches, and the API server where they are behind, hold about one StatefulSet into a plain plan.State. It only reads.
package observe

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// Observe returns what cache holds about the StatefulSet named key, and what live has of the revisions in use that cache does not show: it can have come to the
// pods that this controller patched before the revision that it made for them, and a pod whose revision is not known cannot be patched (INPLACE-031).
// The error is the API's NotFound if there is no such StatefulSet. What is in the result is shared with the cache and must not be changed.
func Observe(ctx context.Context, cache, live client.Reader, key types.NamespacedName) (plan.State, error) {
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
	return state, addRevisions(ctx, live, &state)
}

// addRevisions adds to state the revisions that it lacks of its pods and in its status. One that is gone, or somebody else's, is none.
func addRevisions(ctx context.Context, live client.Reader, state *plan.State) error {
	missing := sets.New(state.Set.Status.CurrentRevision, state.Set.Status.UpdateRevision)
	for _, pod := range state.Pods {
		missing.Insert(pod.Labels[plan.RevisionLabel])
	}
	missing.Delete("")
	for _, revision := range state.Revisions {
		missing.Delete(revision.Name)
	}
	for _, name := range sets.List(missing) {
		revision := &appsv1.ControllerRevision{}
		switch err := live.Get(ctx, types.NamespacedName{Namespace: state.Set.Namespace, Name: name}, revision); {
		case client.IgnoreNotFound(err) != nil:
			return fmt.Errorf("read ControllerRevision %s/%s: %w", state.Set.Namespace, name, err)
		case err == nil && metav1.IsControlledBy(revision, state.Set):
			state.Revisions = append(state.Revisions, revision)
		}
	}
	return nil
}
