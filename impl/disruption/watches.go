package disruption

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// watches turns events into the budgets that they concern.
type watches struct {
	cache     client.Reader
	concerned plan.Concern
}

func (w *watches) pods() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { w.pod(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { w.pod(ctx, e.ObjectOld, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { w.pod(ctx, e.Object, nil, q) },
	}
}

func (w *watches) pod(ctx context.Context, before, after client.Object, q queue) {
	// Of an object that is not there, the type assertions make no pod.
	was, _ := before.(*corev1.Pod)
	is, _ := after.(*corev1.Pod)
	namespace := namespaceOf(before, after)
	add(w.concerned(w.budgets(ctx, namespace), was, is), q)
}

// workloads queues the namespace's budgets that need a scale when a workload has another one, or another controller, or goes. A new one has no pods yet.
func (w *watches) workloads() handler.EventHandler {
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if observe.Replicas(e.ObjectOld) != observe.Replicas(e.ObjectNew) || controllerOf(e.ObjectOld) != controllerOf(e.ObjectNew) {
				w.scaled(ctx, e.ObjectNew.GetNamespace(), q)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { w.scaled(ctx, e.Object.GetNamespace(), q) },
	}
}

func (w *watches) scaled(ctx context.Context, namespace string, q queue) {
	var concerned []*policyv1.PodDisruptionBudget
	for _, budget := range w.budgets(ctx, namespace) {
		if plan.NeedsScale(budget) {
			concerned = append(concerned, budget)
		}
	}
	add(concerned, q)
}

func (w *watches) budgets(ctx context.Context, namespace string) []*policyv1.PodDisruptionBudget {
	var list policyv1.PodDisruptionBudgetList
	if err := w.cache.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "List PodDisruptionBudgets for an event", "namespace", namespace)
		return nil
	}
	budgets := make([]*policyv1.PodDisruptionBudget, len(list.Items))
	for i := range list.Items {
		budgets[i] = &list.Items[i]
	}
	return budgets
}

func add(budgets []*policyv1.PodDisruptionBudget, q queue) {
	for _, budget := range budgets {
		q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(budget)})
	}
}

func namespaceOf(before, after client.Object) string {
	if after != nil {
		return after.GetNamespace()
	}
	return before.GetNamespace()
}

func controllerOf(object client.Object) types.UID {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		return controller.UID
	}
	return ""
}
