// Package act carries out what package plan decided about a StatefulSet. It is the only part of the controller that writes, and it decides nothing.
package act

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// Reasons of the events on StatefulSets, as those of Kubernetes where it has the like.
const (
	EventFailedCreate     = "FailedCreate"
	EventSuccessfulUpdate = "SuccessfulUpdate"
	EventFailedUpdate     = "FailedUpdate"
)

// Actor carries out plans. All fields are required; one Actor serves any number of StatefulSets at once.
type Actor struct {
	// Client writes; it is not read from.
	Client client.Client
	// Recorder records events on StatefulSets.
	Recorder events.EventRecorder
}

// Do carries out actions for set, which is that of the State that they were planned from. Names are what keeps it from creating a pod twice, and resource
// versions from updating what is not as it was seen, so nothing of what was written has to be
// remembered. Where revisions or claims cannot be written, nothing else is.
func (a *Actor) Do(ctx context.Context, set *appsv1.StatefulSet, actions plan.Actions) error {
	if actions.Err != nil {
		a.Recorder.Eventf(set, nil, corev1.EventTypeWarning, "InvalidStatefulSet", "Plan", "%v", actions.Err)
		return nil
	}
	if err := a.writeRevision(ctx, actions); err != nil {
		return err
	}
	if err := a.createClaims(ctx, set, actions.CreateClaims); err != nil {
		return err
	}
	return errors.Join(
		a.createPods(ctx, set, actions.CreatePods), a.deletePods(ctx, actions.DeletePods), a.updatePods(ctx, set, actions.UpdatePods),
		a.provePods(ctx, actions.ProvePods), a.writeStatus(ctx, set, actions.Status), a.deleteRevisions(ctx, actions.DeleteRevisions))
}

func (a *Actor) writeStatus(ctx context.Context, set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) error {
	if status == nil {
		return nil
	}
	written := set.DeepCopy()
	written.Status = *status
	if err := a.Client.Status().Update(ctx, written); err != nil {
		return classify(fmt.Errorf("write the status of StatefulSet %s/%s: %w", set.Namespace, set.Name, err))
	}
	return nil
}

func (a *Actor) writeRevision(ctx context.Context, actions plan.Actions) error {
	if revision := actions.CreateRevision; revision != nil {
		if err := a.Client.Create(ctx, revision.DeepCopy()); err != nil {
			return classify(fmt.Errorf("create ControllerRevision %s/%s: %w", revision.Namespace, revision.Name, err))
		}
	}
	if revision := actions.RenumberRevision; revision != nil {
		if err := a.Client.Update(ctx, revision.DeepCopy()); err != nil {
			return classify(fmt.Errorf("update ControllerRevision %s/%s: %w", revision.Namespace, revision.Name, err))
		}
	}
	return nil
}

func (a *Actor) deleteRevisions(ctx context.Context, revisions []*appsv1.ControllerRevision) error {
	var failures []error
	for _, revision := range revisions {
		err := a.Client.Delete(ctx, revision, client.Preconditions{UID: &revision.UID, ResourceVersion: &revision.ResourceVersion})
		if err != nil && !apierrors.IsNotFound(err) {
			failures = append(failures, classify(fmt.Errorf("delete ControllerRevision %s/%s: %w", revision.Namespace, revision.Name, err)))
		}
	}
	return errors.Join(failures...)
}

// createClaims creates the claims that there are not yet.
func (a *Actor) createClaims(ctx context.Context, set *appsv1.StatefulSet, claims []*corev1.PersistentVolumeClaim) error {
	for _, claim := range claims {
		if err := a.Client.Create(ctx, claim.DeepCopy()); err != nil && !apierrors.IsAlreadyExists(err) {
			a.Recorder.Eventf(set, nil, corev1.EventTypeWarning, EventFailedCreate, "Create", "creating PersistentVolumeClaim %s: %v", claim.Name, err)
			return fmt.Errorf("create PersistentVolumeClaim %s/%s: %w", claim.Namespace, claim.Name, err)
		}
	}
	return nil
}

func (a *Actor) createPods(ctx context.Context, set *appsv1.StatefulSet, pods []*corev1.Pod) error {
	var failures []error
	for _, pod := range pods {
		err := a.Client.Create(ctx, pod.DeepCopy())
		// One of this name may be what the cache has yet to show, or somebody else's: it is tried again, with growing delays.
		if err != nil && !apierrors.IsAlreadyExists(err) {
			a.Recorder.Eventf(set, nil, corev1.EventTypeWarning, EventFailedCreate, "Create", "creating pod %s: %v", pod.Name, err)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("create pod %s/%s: %w", pod.Namespace, pod.Name, err))
		}
	}
	return errors.Join(failures...)
}

func (a *Actor) deletePods(ctx context.Context, pods []*corev1.Pod) error {
	var failures []error
	for _, pod := range pods {
		if err := a.Client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion}); err != nil {
			failures = append(failures, classify(fmt.Errorf("delete pod %s/%s: %w", pod.Namespace, pod.Name, err)))
		}
	}
	return errors.Join(failures...)
}

// updatePods patches the pods. One that the API server refuses to change stays as it is, and is tried again, with growing delays (INPLACE-029).
func (a *Actor) updatePods(ctx context.Context, set *appsv1.StatefulSet, updates []plan.PodUpdate) error {
	var failures []error
	for _, update := range updates {
		body, err := inplace.Patch(update.Pod, update.Images, update.Labels, update.Annotations)
		if err != nil {
			return err
		}
		pod := &corev1.Pod{}
		pod.Namespace, pod.Name = update.Pod.Namespace, update.Pod.Name
		err = classify(a.Client.Patch(ctx, pod, client.RawPatch(types.StrategicMergePatchType, body)))
		switch {
		case err == nil:
			a.Recorder.Eventf(set, pod, corev1.EventTypeNormal, EventSuccessfulUpdate, "Update", "updated pod %s in place", pod.Name)
			continue
		case !errors.Is(err, stale.ErrView):
			a.Recorder.Eventf(set, update.Pod, corev1.EventTypeWarning, EventFailedUpdate, "Update", "updating pod %s in place: %v", pod.Name, err)
		}
		failures = append(failures, fmt.Errorf("update pod %s/%s in place: %w", pod.Namespace, pod.Name, err))
	}
	return errors.Join(failures...)
}

// provePods writes on the pods that their updates have taken effect. One that is gone, or another of the name, needs no proof.
func (a *Actor) provePods(ctx context.Context, proofs []inplace.PodProof) error {
	var failures []error
	for _, proof := range proofs {
		body, err := proof.Patch()
		if err != nil {
			return err
		}
		pod := &corev1.Pod{}
		pod.Namespace, pod.Name = proof.Pod.Namespace, proof.Pod.Name
		err = classify(a.Client.Patch(ctx, pod, client.RawPatch(types.MergePatchType, body)))
		if err != nil && !errors.Is(err, stale.ErrView) {
			failures = append(failures, fmt.Errorf("write on pod %s/%s that its update in place is done: %w", pod.Namespace, pod.Name, err))
		}
	}
	return errors.Join(failures...)
}

// classify adds to a failed write what it means for the next plan.
func classify(err error) error {
	if stale.Refused(err) {
		return stale.Because(err)
	}
	return err
}
