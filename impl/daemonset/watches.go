package daemonset

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/workload"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// watches turns events into the DaemonSets that they concern.
type watches struct {
	cache client.Reader
	// api is that of the DaemonSets.
	api *workload.API
	// seen is told the resource version of every pod and revision that comes by, before its DaemonSet is queued.
	seen func(kind act.Kind, resourceVersion string)
}

func (w *watches) pods() handler.EventHandler      { return w.owned(act.Pods) }
func (w *watches) revisions() handler.EventHandler { return w.owned(act.Revisions) }

// owned queues the controller of an object, the one that it had before an update too, or for an object that nobody
// controls every DaemonSet that may adopt it.
func (w *watches) owned(kind act.Kind) handler.EventHandler {
	note := func(object client.Object) { w.seen(kind, object.GetResourceVersion()) }
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			note(e.Object)
			w.queueFor(ctx, e.Object, q)
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			note(e.ObjectNew)
			w.queueFor(ctx, e.ObjectNew, q)
			before, after := metav1.GetControllerOfNoCopy(e.ObjectOld), metav1.GetControllerOfNoCopy(e.ObjectNew)
			if before != nil && (after == nil || before.UID != after.UID) {
				w.queueFor(ctx, e.ObjectOld, q)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			note(e.Object)
			w.queueFor(ctx, e.Object, q)
		},
	}
}

func (w *watches) queueFor(ctx context.Context, object client.Object, q queue) {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		if w.api.Names(controller) {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: controller.Name}})
		}
		return
	}
	w.eachDaemonSet(ctx, object.GetNamespace(), func(ds *appsv1.DaemonSet) bool {
		selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
		return err == nil && selector.Matches(labels.Set(object.GetLabels()))
	}, q)
}

// nodes queues the DaemonSets for which an event changes whether the node is to run, or may keep, a pod. Heartbeats
// change neither. A node that goes away concerns those that were to run there: their status counts it (STATUS-014).
func (w *watches) nodes() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { w.queueForNode(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if sameForEligibility(e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)) {
				return
			}
			w.queueForNode(ctx, e.ObjectOld, e.ObjectNew, q)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { w.queueForNode(ctx, e.Object, nil, q) },
	}
}

// sameForEligibility spares heartbeats, which are most of the events of nodes, a look at every DaemonSet.
func sameForEligibility(before, after *corev1.Node) bool {
	return maps.Equal(before.Labels, after.Labels) && apiequality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints)
}

func (w *watches) queueForNode(ctx context.Context, before, after client.Object, q queue) {
	w.eachDaemonSet(ctx, metav1.NamespaceAll, func(ds *appsv1.DaemonSet) bool {
		if before == nil || after == nil {
			// Also where it is not eligible: a pod may be left there, or wait for it.
			return true
		}
		wasRun, wasKept := plan.Eligibility(ds, before.(*corev1.Node))
		isRun, isKept := plan.Eligibility(ds, after.(*corev1.Node))
		return wasRun != isRun || wasKept != isKept
	}, q)
}

func (w *watches) eachDaemonSet(ctx context.Context, namespace string, concerns func(*appsv1.DaemonSet) bool, q queue) {
	var list appsv1.DaemonSetList
	if err := w.cache.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "List DaemonSets for an event", "namespace", namespace)
		return
	}
	for i := range list.Items {
		if concerns(&list.Items[i]) {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
}
