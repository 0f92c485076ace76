package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// write is a pod that was created or deleted.
type write struct {
	pod     client.ObjectKey
	uid     types.UID
	deleted bool
}

// shown reports whether the cache shows what was written for a set. Who decides without that does things twice.
func (r *reconciler) shown(ctx context.Context, set types.UID) (bool, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var left []write
	for _, w := range r.writes[set] {
		var pod corev1.Pod
		err := r.client.Get(ctx, w.pod, &pod)
		if client.IgnoreNotFound(err) != nil {
			return false, err
		}
		there := err == nil && pod.UID == w.uid
		if !there && !w.deleted {
			// Not there yet, or gone already: the API server knows.
			err := r.reader.Get(ctx, w.pod, &pod)
			if client.IgnoreNotFound(err) != nil {
				return false, err
			}
			if err == nil && pod.UID == w.uid {
				left = append(left, w)
			}
		}
		if there && w.deleted && pod.DeletionTimestamp.IsZero() {
			left = append(left, w)
		}
	}
	r.writes[set] = left
	if len(left) == 0 {
		delete(r.writes, set)
	}
	return len(left) == 0, nil
}

func (r *reconciler) wrote(set *appsv1.DaemonSet, pod *corev1.Pod, deleted bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.writes[set.UID] = append(r.writes[set.UID], write{pod: client.ObjectKeyFromObject(pod), uid: pod.UID, deleted: deleted})
}

// act does what the state asks for, and returns after how long there is more to do; 0 if that is not known.
func (r *reconciler) act(ctx context.Context, s *state) (wait time.Duration, err error) {
	creates, deletes, ended := s.decide()
	for _, pod := range ended {
		id, now := string(s.set.UID)+"/"+nodeOf(pod), r.failed.Clock.Now()
		if r.failed.IsInBackOffSinceUpdate(id, now) {
			wait = earlier(wait, r.failed.Get(id))
			continue
		}
		r.failed.Next(id, now)
		kind, reason := corev1.EventTypeWarning, "FailedDaemonPod"
		if pod.Status.Phase == corev1.PodSucceeded {
			kind, reason = corev1.EventTypeNormal, "SucceededDaemonPod"
		}
		r.recorder.Eventf(s.set, pod, kind, reason, "Replace", "Pod %s on node %s has ended, and is replaced", pod.Name, pod.Spec.NodeName)
		deletes = append(deletes, pod)
	}
	var errs []error
	for _, pod := range deletes {
		errs = append(errs, r.delete(ctx, s.set, pod))
	}
	errs = append(errs, r.label(ctx, s))
	// One at first, then twice as many each time: if pods are refused, few requests find that out.
	for batch := range doubling(creates) {
		var failed []error
		for _, node := range batch {
			failed = append(failed, r.create(ctx, s, node))
		}
		if err := errors.Join(failed...); err != nil {
			return wait, errors.Join(append(errs, err)...)
		}
	}
	return wait, errors.Join(errs...)
}

// doubling cuts a list into pieces of 1, 2, 4, … items.
func doubling(all []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for size := 1; len(all) > 0; size *= 2 {
			n := min(size, len(all))
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

func (r *reconciler) create(ctx context.Context, s *state, node string) error {
	pod := podFor(s.set, node, s.hash)
	if err := controllerutil.SetControllerReference(s.set, pod, r.scheme); err != nil {
		return err
	}
	if err := r.client.Create(ctx, pod); err != nil {
		r.recorder.Eventf(s.set, nil, corev1.EventTypeWarning, "FailedCreate", "Create", "Error creating a pod for node %s: %v", node, err)
		return fmt.Errorf("creating a pod on %s: %w", node, err)
	}
	r.wrote(s.set, pod, false)
	r.recorder.Eventf(s.set, pod, corev1.EventTypeNormal, "SuccessfulCreate", "Create", "Created pod: %s", pod.Name)
	return nil
}

func (r *reconciler) delete(ctx context.Context, set *appsv1.DaemonSet, pod *corev1.Pod) error {
	err := r.client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		r.recorder.Eventf(set, pod, corev1.EventTypeWarning, "FailedDelete", "Delete", "Error deleting pod %s: %v", pod.Name, err)
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	r.wrote(set, pod, true)
	r.recorder.Eventf(set, pod, corev1.EventTypeNormal, "SuccessfulDelete", "Delete", "Deleted pod: %s", pod.Name)
	return nil
}

// label gives the label of the revision to pods that are of the current template and have none.
func (r *reconciler) label(ctx context.Context, s *state) error {
	var errs []error
	for _, pod := range slices.Concat(s.current()...) {
		if pod.Labels[appsv1.ControllerRevisionHashLabelKey] == "" {
			errs = append(errs, r.relabel(ctx, pod, s.hash))
		}
	}
	return errors.Join(errs...)
}

func (r *reconciler) relabel(ctx context.Context, pod *corev1.Pod, hash string) error {
	changed := pod.DeepCopy()
	changed.Labels[appsv1.ControllerRevisionHashLabelKey] = hash
	return client.IgnoreNotFound(r.client.Patch(ctx, changed, client.MergeFrom(pod)))
}
