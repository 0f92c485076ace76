// Package act carries out what package plan decided. It is the only part of the controller that writes, and it
// decides nothing: it knows in which order, how fast and under which conditions writes are made, what a
// failed one means for the others, and which of them the caches have yet to show.
package act

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// Actor carries out plans. All fields are required; one Actor serves any number of DaemonSets at once, but only one
// plan for the same DaemonSet at a time.
type Actor struct {
	// Client writes; it is not read from.
	Client client.Client
	// Live reads past every cache.
	Live client.Reader
	// Recorder records events on DaemonSets.
	Recorder events.EventRecorder
	// Writes remembers what the caches have yet to show.
	Writes *OwnWrites
	// Metrics counts what was done.
	Metrics *Metrics
}

// ErrUnknownOutcome is matched by errors about writes that may or may not have taken effect. The caches must be compared
// with the API server before the next plan, or a pod might be created twice.
var ErrUnknownOutcome = errors.New("it is not known whether a write took effect")

// Do carries out actions for ds, which is the DaemonSet of the State that they were planned from. Pods are left alone
// if claiming or history failed. The status is written in any case (STATUS-011), but then observes no new generation:
// whoever waits for that relies on the history being the generation's (STATUS-010, HISTORY-010).
func (a *Actor) Do(ctx context.Context, ds *appsv1.DaemonSet, actions plan.Actions) error {
	if actions.Err != nil {
		a.Recorder.Eventf(ds, nil, corev1.EventTypeWarning, "InvalidDaemonSet", "Plan", "%v", actions.Err)
		return nil
	}
	err := a.prepare(ctx, ds, actions)
	prepared := err == nil
	if prepared {
		for _, event := range actions.Events {
			a.recordEvent(ds, event)
		}
		err = errors.Join(a.deletePods(ctx, ds, actions.DeletePods), a.updatePods(ctx, ds, actions.UpdatePods), a.provePods(ctx, ds, actions.ProvePods))
		// A pod that changed since it was seen may have become available: what is created on the strength of the
		// contrary could exceed maxSurge. A deletion that failed for another reason says nothing about the plan.
		if !errors.Is(err, stale.ErrView) {
			err = errors.Join(err, a.createPods(ctx, ds, actions.CreatePods))
		}
		err = errors.Join(err, a.deleteRevisions(ctx, ds, actions.DeleteRevisions))
	}
	if actions.Status != nil {
		status := *actions.Status
		if !prepared {
			status.ObservedGeneration = ds.Status.ObservedGeneration
		}
		err = errors.Join(err, a.writeStatus(ctx, ds, status))
	}
	return err
}

// recordEvent records one planned event.
func (a *Actor) recordEvent(ds *appsv1.DaemonSet, event plan.Event) {
	if event.Pod == nil {
		a.Recorder.Eventf(ds, nil, event.Type, event.Reason, "RollOut", "%s", event.Message)
		return
	}
	a.Recorder.Eventf(ds, event.Pod, event.Type, event.Reason, "Replace", "%s", event.Message)
}

// prepare does what has to be true before pods may be created or deleted.
func (a *Actor) prepare(ctx context.Context, ds *appsv1.DaemonSet, actions plan.Actions) error {
	if adopts(actions) {
		if err := a.confirmAlive(ctx, ds); err != nil {
			return err
		}
	}
	if err := a.patchPods(ctx, ds, actions.PatchPods); err != nil {
		return err
	}
	return a.writeRevisions(ctx, ds, actions)
}

func adopts(actions plan.Actions) bool {
	for _, patch := range actions.PatchPods {
		if patch.Adopt {
			return true
		}
	}
	for _, update := range actions.UpdateRevisions {
		if update.Adopt {
			return true
		}
	}
	return false
}

// confirmAlive asks the API server whether ds may still adopt: a cache that lags would let it take over what the
// garbage collector has just orphaned on purpose (HISTORY-015).
func (a *Actor) confirmAlive(ctx context.Context, ds *appsv1.DaemonSet) error {
	fresh := &appsv1.DaemonSet{}
	if err := a.Live.Get(ctx, client.ObjectKeyFromObject(ds), fresh); err != nil {
		return classify(fmt.Errorf("read DaemonSet %s/%s before adopting: %w", ds.Namespace, ds.Name, err))
	}
	if fresh.UID != ds.UID || fresh.DeletionTimestamp != nil {
		return stale.Because(fmt.Errorf("adopt for DaemonSet %s/%s: it is gone or being deleted", ds.Namespace, ds.Name))
	}
	return nil
}

// classify adds to a failed write what it means for the next plan.
func classify(err error) error {
	switch {
	case err == nil || errors.Is(err, stale.ErrView):
		return err
	case stale.Refused(err) || apierrors.IsAlreadyExists(err):
		return stale.Because(err)
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}
