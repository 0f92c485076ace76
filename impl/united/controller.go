// Package united is the reference's controller of UnitedDaemonSets: docs/united-daemonset.md says what it promises. Package plan decides, package act writes;
// what is left here is when to do so.
package united

import (
	"context"
	"fmt"
	"maps"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/eventlimit"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/united/act"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// Options configure the controller; the zero value has the defaults.
type Options struct {
	// Clock tells what pods' timestamps are compared with; default the system's.
	Clock clock.PassiveClock
	// Plan decides; default plan.Plan.
	Plan plan.Planner
}

// SetupWithManager adds the controller to manager. The cache needs the indexes of package daemonset/observe. Where the API server does not have the kind
// UnitedDaemonSet, nothing is added: its definition has to be there before the process starts.
func SetupWithManager(ctx context.Context, manager ctrl.Manager, options Options) error {
	_, err := manager.GetRESTMapper().RESTMapping(api.GroupVersion.WithKind(api.Kind).GroupKind(), api.GroupVersion.Version)
	if meta.IsNoMatchError(err) {
		log.FromContext(ctx).Info("The API server has no UnitedDaemonSets: none are reconciled")
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask whether the API server has UnitedDaemonSets: %w", err)
	}
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.Plan == nil {
		options.Plan = plan.Plan
	}
	memory := act.NewMemory(options.Clock)
	r := &reconciler{
		clock: options.Clock, plan: options.Plan, cache: manager.GetCache(), memory: memory, handover: newHandover(manager.GetAPIReader()),
		known: map[types.NamespacedName]types.UID{},
		actor: &act.Actor{Client: manager.GetClient(), Memory: memory, Recorder: eventlimit.New(manager.GetEventRecorder("rollcall-reference"), options.Clock)},
	}
	err = ctrl.NewControllerManagedBy(manager).
		Named("uniteddaemonset").
		For(&api.UnitedDaemonSet{}).
		// Who comes second has to hear when the first goes.
		Watches(&api.UnitedDaemonSet{}, r.all()).
		Watches(&appsv1.DaemonSet{}, r.all()).
		Watches(&corev1.Pod{}, r.all()).
		Watches(&appsv1.ControllerRevision{}, r.all()).
		Watches(&corev1.Node{}, r.all(), builder.WithPredicates(nodeChanges())).
		// What one of them decides may depend on another.
		WithOptions(requeue.Options(1)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("set up the UnitedDaemonSet controller: %w", err)
	}
	return nil
}

// nodeChanges are those that can matter: not heartbeats.
func nodeChanges() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return !maps.Equal(before.Labels, after.Labels) || !apiequality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints)
	}}
}

type reconciler struct {
	clock    clock.PassiveClock
	plan     plan.Planner
	cache    client.Reader
	memory   *act.Memory
	handover *handover
	actor    *act.Actor

	mu sync.Mutex
	// known are the UIDs of the UnitedDaemonSets that were seen.
	known map[types.NamespacedName]types.UID
}

// all queues every UnitedDaemonSet of the object's namespace, or of all if it has none. There are few.
func (r *reconciler) all() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		var list api.UnitedDaemonSetList
		if err := r.cache.List(ctx, &list, client.InNamespace(object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			log.FromContext(ctx).Error(err, "List UnitedDaemonSets for an event")
			return nil
		}
		requests := make([]reconcile.Request, len(list.Items))
		for i := range list.Items {
			requests[i].NamespacedName = client.ObjectKeyFromObject(&list.Items[i])
		}
		return requests
	})
}

// Reconcile observes, plans and acts once.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	state, err := read(ctx, r.cache, request.NamespacedName)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	if err != nil {
		r.forget(request.NamespacedName)
		return reconcile.Result{}, nil
	}
	r.remember(request.NamespacedName, state.United.UID)
	// Who has the target depends on what was written for the others of it, too.
	for _, united := range append(plan.Rivals(state), state.United) {
		if shown, err := r.memory.Shown(ctx, r.cache, united.UID); err != nil || !shown {
			return reconcile.Result{RequeueAfter: requeue.StaleRetry}, err
		}
	}
	live, err := r.handover.look(ctx, state.United.UID, request.Namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	// Only now: what was read above may be from before.
	if state, err = read(ctx, r.cache, request.NamespacedName); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.handover.confirmed(live, state) {
		return reconcile.Result{RequeueAfter: requeue.StaleRetry}, nil
	}
	again := r.memory.Fill(&state)
	actions := r.plan(state, r.clock.Now())
	err = r.actor.Do(ctx, state.United, actions)
	if err != nil && stale.Only(err) {
		return reconcile.Result{RequeueAfter: requeue.StaleRetry}, nil
	}
	if actions.Again > 0 && (again == 0 || actions.Again < again) {
		again = actions.Again
	}
	return reconcile.Result{RequeueAfter: again}, err
}

func (r *reconciler) remember(key types.NamespacedName, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[key] = uid
}

func (r *reconciler) forget(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory.Forget(r.known[key])
	r.handover.forget(r.known[key])
	delete(r.known, key)
}
