package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/flowcontrol"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type reconciler struct {
	client   client.Client
	reader   client.Reader // not the cache
	scheme   *runtime.Scheme
	recorder events.EventRecorder
	failed   *flowcontrol.Backoff

	mutex  sync.Mutex
	writes map[types.UID][]write // by DaemonSet, what the cache may not show yet
}

// all asks for every DaemonSet, whenever a node changes.
func (r *reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	var sets appsv1.DaemonSetList
	if err := r.client.List(ctx, &sets); err != nil {
		log.FromContext(ctx).Error(err, "listing DaemonSets")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(sets.Items))
	for i := range sets.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&sets.Items[i])})
	}
	return requests
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var set appsv1.DaemonSet
	if err := r.client.Get(ctx, request.NamespacedName, &set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !set.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	revisions, err := r.revisions(ctx, &set)
	if err != nil {
		return ctrl.Result{}, err
	}
	current, err := r.currentRevision(ctx, &set, revisions)
	if err != nil {
		return ctrl.Result{}, err
	}
	// Asked before the pods are read: these have then all that was done before.
	shown, err := r.shown(ctx, set.UID)
	if err != nil {
		return ctrl.Result{}, err
	}
	pods, err := r.pods(ctx, &set)
	if err != nil {
		return ctrl.Result{}, err
	}
	var nodes corev1.NodeList
	if err := r.client.List(ctx, &nodes); err != nil {
		return ctrl.Result{}, err
	}
	slices.SortFunc(nodes.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })

	s := observe(&set, nodes.Items, pods, current.Labels[appsv1.ControllerRevisionHashLabelKey], time.Now())
	var errs []error
	next := s.next
	if shown {
		wait, err := r.act(ctx, s)
		next = earlier(next, wait)
		errs = append(errs, err, r.prune(ctx, &set, revisions, current, pods))
	} else {
		next = earlier(next, time.Second)
	}
	// How things are is reported whether or not anything could be done about it.
	if status := s.status(); !equality.Semantic.DeepEqual(status, set.Status) {
		set.Status = status
		errs = append(errs, client.IgnoreNotFound(r.client.Status().Update(ctx, &set)))
	}
	if err := errors.Join(errs...); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: next}, nil
}

// earlier is the shorter of two delays, of which 0 means never.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// pods returns the set's pods, and adopts those that nobody controls.
func (r *reconciler) pods(ctx context.Context, set *appsv1.DaemonSet) ([]*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, err
	}
	var list corev1.PodList
	if err := r.client.List(ctx, &list, client.InNamespace(set.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, err
	}
	var mine []*corev1.Pod
	for i := range list.Items {
		pod := &list.Items[i]
		if metav1.GetControllerOf(pod) == nil && pod.DeletionTimestamp.IsZero() {
			before := pod.DeepCopy()
			if err := controllerutil.SetControllerReference(set, pod, r.scheme); err != nil {
				return nil, err
			}
			if err := r.client.Patch(ctx, pod, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
				return nil, err
			}
		}
		if !metav1.IsControlledBy(pod, set) {
			continue
		}
		mine = append(mine, pod)
	}
	return mine, nil
}
