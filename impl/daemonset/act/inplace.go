package act

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// Event reasons for updates of pods in place (INPLACE-023).
const (
	EventSuccessfulUpdate = "SuccessfulUpdate"
	EventFailedUpdate     = "FailedUpdate"
)

// RefusedError is an update in place that the API server refused: a policy or a quota is against it. The pod stays as it is: to delete it instead would
// turn a change that is refused into one that takes the pod away.
type RefusedError struct {
	// Node is where the pod runs.
	Node string
	// Cause is what the API server said.
	Cause error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("update in place on node %s: %v", e.Node, e.Cause)
}
func (e *RefusedError) Unwrap() error { return e.Cause }

// Refusals returns what the API server said of the updates in place that it refused, by node; err may join any number of errors.
func Refusals(err error) map[string]string {
	found := map[string]string{}
	collect(err, func(refused *RefusedError) { found[refused.Node] = refused.Cause.Error() })
	return found
}

func (a *Actor) updatePods(ctx context.Context, ds *appsv1.DaemonSet, updates []plan.PodUpdate) error {
	return each(ctx, len(updates), func(i int) error { return a.updatePod(ctx, ds, updates[i]) })
}

func (a *Actor) provePods(ctx context.Context, ds *appsv1.DaemonSet, proofs []inplace.PodProof) error {
	return each(ctx, len(proofs), func(i int) error { return a.provePod(ctx, ds, proofs[i]) })
}

// provePod writes on the pod that its update has taken effect. One that is gone, or another of the name, needs no proof, and says nothing about the plan.
func (a *Actor) provePod(ctx context.Context, ds *appsv1.DaemonSet, proof inplace.PodProof) error {
	body, err := proof.Patch()
	if err != nil {
		return err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: proof.Pod.Namespace, Name: proof.Pod.Name}}
	err = a.Client.Patch(ctx, pod, client.RawPatch(types.MergePatchType, body))
	switch {
	case err == nil:
		a.Writes.Wrote(ds.UID, Pods, pod.ResourceVersion)
		return nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return nil
	}
	return classify(fmt.Errorf("write on pod %s that its update in place is done: %w", pod.Name, err))
}

// updatePod patches the pod only as it was seen. The images, the label and the record go in one request.
func (a *Actor) updatePod(ctx context.Context, ds *appsv1.DaemonSet, update plan.PodUpdate) error {
	body, err := inplace.Patch(update.Pod, update.Images, update.Labels, update.Annotations)
	if err != nil {
		return err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: update.Pod.Namespace, Name: update.Pod.Name}}
	err = a.Client.Patch(ctx, pod, client.RawPatch(types.StrategicMergePatchType, body))
	switch {
	case err == nil:
		a.Writes.Wrote(ds.UID, Pods, pod.ResourceVersion)
		a.Metrics.updated.WithLabelValues(string(update.Reason)).Inc()
		a.Recorder.Eventf(ds, pod, corev1.EventTypeNormal, EventSuccessfulUpdate, "Update", "updated pod %s on node %s in place: %s", pod.Name, update.Node, update.Reason)
		return nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return classify(fmt.Errorf("update pod %s in place: %w", pod.Name, err))
	}
	a.Metrics.failed.WithLabelValues("update").Inc()
	a.Recorder.Eventf(ds, update.Pod, corev1.EventTypeWarning, EventFailedUpdate, "Update", "updating pod %s in place: %v", pod.Name, err)
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) {
		return &RefusedError{Node: update.Node, Cause: err}
	}
	return classify(fmt.Errorf("update pod %s in place: %w", pod.Name, err))
}
