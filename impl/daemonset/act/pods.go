package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// workers is how many requests for pods of one DaemonSet are under way at once.
const workers = 32

// Event reasons for what is done to pods, those of Kubernetes (COND-004).
const (
	EventSuccessfulCreate = "SuccessfulCreate"
	EventFailedCreate     = "FailedCreate"
	EventSuccessfulDelete = "SuccessfulDelete"
	EventFailedDelete     = "FailedDelete"
)

// createPods creates in batches of 1, 2, 4, … and stops after the first batch with a failure: what keeps one pod
// from being created, a quota or a webhook, usually keeps all of them from it (RECOVERY-006).
func (a *Actor) createPods(ctx context.Context, ds *appsv1.DaemonSet, creations []plan.PodCreation) error {
	for size := 1; len(creations) > 0; size *= 2 {
		batch := creations[:min(size, len(creations))]
		creations = creations[len(batch):]
		if err := each(ctx, len(batch), func(i int) error { return a.createPod(ctx, ds, batch[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *Actor) createPod(ctx context.Context, ds *appsv1.DaemonSet, creation plan.PodCreation) error {
	pod := creation.Pod.DeepCopy()
	err := a.Client.Create(ctx, pod)
	switch {
	case err == nil:
		a.Writes.Wrote(ds.UID, Pods, pod.ResourceVersion)
		a.Metrics.created.WithLabelValues(string(creation.Reason)).Inc()
		a.Recorder.Eventf(ds, pod, corev1.EventTypeNormal, EventSuccessfulCreate, "Create", "created pod %s for node %s", pod.Name, creation.Node)
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	default:
		a.Metrics.failed.WithLabelValues("create").Inc()
		a.Recorder.Eventf(ds, nil, corev1.EventTypeWarning, EventFailedCreate, "Create", "creating a pod for node %s: %v", creation.Node, err)
		return classify(fmt.Errorf("create a pod for node %s: %w", creation.Node, &CreationError{Node: creation.Node, cause: err}))
	}
}

func (a *Actor) deletePods(ctx context.Context, ds *appsv1.DaemonSet, deletions []plan.PodDeletion) error {
	return each(ctx, len(deletions), func(i int) error { return a.deletePod(ctx, ds, deletions[i]) })
}

// deletePod deletes the pod only as it was seen: a pod that became available since must not be deleted as unavailable.
func (a *Actor) deletePod(ctx context.Context, ds *appsv1.DaemonSet, deletion plan.PodDeletion) error {
	pod := deletion.Pod
	err := a.Client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion})
	switch {
	case err == nil:
		a.Writes.Deleted(ds.UID, pod.UID)
		a.Metrics.deleted.WithLabelValues(string(deletion.Reason)).Inc()
		a.Recorder.Eventf(ds, pod, corev1.EventTypeNormal, EventSuccessfulDelete, "Delete", "deleted pod %s on node %s: %s", pod.Name, deletion.Node, deletion.Reason)
		return nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return classify(fmt.Errorf("delete pod %s: %w", pod.Name, err))
	default:
		a.Metrics.failed.WithLabelValues("delete").Inc()
		a.Recorder.Eventf(ds, pod, corev1.EventTypeWarning, EventFailedDelete, "Delete", "deleting pod %s: %v", pod.Name, err)
		return classify(fmt.Errorf("delete pod %s: %w", pod.Name, &DeletionError{Node: deletion.Node, cause: err}))
	}
}

func (a *Actor) patchPods(ctx context.Context, ds *appsv1.DaemonSet, patches []plan.PodPatch) error {
	return each(ctx, len(patches), func(i int) error { return a.patchPod(ctx, ds, patches[i]) })
}

// patchPod names the pod's UID in the patch, so that it cannot hit another pod of the same name, but not its
// resourceVersion: neither the owners nor the hash depend on what else changes about the pod.
func (a *Actor) patchPod(ctx context.Context, ds *appsv1.DaemonSet, patch plan.PodPatch) error {
	metadata := map[string]any{"uid": patch.Pod.UID}
	if patch.Hash != "" {
		metadata["labels"] = map[string]string{plan.HashLabel: patch.Hash}
	}
	switch {
	case patch.Adopt:
		metadata["ownerReferences"] = []metav1.OwnerReference{*metav1.NewControllerRef(ds, plan.ControllerKind(ds))}
	case patch.Release:
		metadata["ownerReferences"] = []map[string]any{{"$patch": "delete", "uid": ds.UID}}
	}
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encode the patch for pod %s: %w", patch.Pod.Name, err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: patch.Pod.Namespace, Name: patch.Pod.Name}}
	err = a.Client.Patch(ctx, pod, client.RawPatch(types.StrategicMergePatchType, body))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return classify(fmt.Errorf("claim, release or relabel pod %s: %w", patch.Pod.Name, err))
	}
	a.Writes.Wrote(ds.UID, Pods, pod.ResourceVersion)
	return nil
}

// each calls do for 0 to n-1, several at a time, and joins their errors.
func each(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	started := make([]bool, n)
	var mu sync.Mutex
	workqueue.ParallelizeUntil(ctx, workers, n, func(i int) {
		err := do(i)
		mu.Lock()
		defer mu.Unlock()
		errs[i], started[i] = err, true
	})
	for i := range started {
		if !started[i] {
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(errs...)
}
