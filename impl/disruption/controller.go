// Package disruption is the reference disruption controller: a drop-in replacement for the one in kube-controller-manager. It connects three parts that know
// nothing of each other: observe reads, plan decides, act writes. What is left here is when to do so: the watches, the queues and the timers.
package disruption

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/act"
	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
	"github.com/rollcall-conformance/rollcall/impl/eventlimit"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// Name is that of the work queue of budgets in metrics (PDB-032).
const Name = "disruption"

// Options configure the controller; the zero value has the defaults.
type Options struct {
	// ConcurrentSyncs is how many budgets are worked on at once; default requeue.DefaultConcurrentSyncs.
	ConcurrentSyncs int
	// Clock tells what the times of evictions are compared with; default the system's.
	Clock clock.PassiveClock

	// Plan decides about budgets; default plan.Plan.
	Plan plan.Planner
	// Reset decides about the condition DisruptionTarget of pods; default plan.Reset.
	Reset plan.Resetter
	// Concerned says which budgets a change of a pod concerns; default plan.Concerned.
	Concerned plan.Concern
	// Writer wraps the client that all writes go through; default none.
	Writer func(client.StatusClient) client.StatusClient
	// Around wraps the reconciler of budgets; default none. The client reads from the caches and writes.
	Around func(reconcile.Reconciler, client.Client) reconcile.Reconciler
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Plan == nil {
		o.Plan = plan.Plan
	}
	if o.Reset == nil {
		o.Reset = plan.Reset
	}
	if o.Concerned == nil {
		o.Concerned = plan.Concerned
	}
	return o
}

// SetupWithManager adds the controller to manager, with its watches and the index that it reads by. It starts when the manager starts, as the leader if the manager elects one.
func SetupWithManager(ctx context.Context, manager ctrl.Manager, options Options) error {
	options = options.withDefaults()
	scales, err := observe.NewScales(manager.GetConfig(), manager.GetRESTMapper())
	if err != nil {
		return err
	}
	if err := observe.Index(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	var writer client.StatusClient = manager.GetClient()
	if options.Writer != nil {
		writer = options.Writer(writer)
	}
	recorder := eventlimit.New(manager.GetEventRecorder("rollcall-reference"), options.Clock)
	observer := &observe.Observer{Cache: manager.GetCache(), Scales: scales}
	var r reconcile.Reconciler = NewReconciler(options, observer, writer, recorder)
	if options.Around != nil {
		r = options.Around(r, manager.GetClient())
	}
	w := &watches{cache: manager.GetCache(), concerned: options.Concerned}
	budgets := ctrl.NewControllerManagedBy(manager).Named(Name).For(&policyv1.PodDisruptionBudget{}).
		Watches(&corev1.Pod{}, w.pods()).WithOptions(requeue.Options(options.ConcurrentSyncs))
	for _, workload := range observe.Workloads() {
		budgets = budgets.Watches(workload, w.workloads())
	}
	if err := budgets.Complete(r); err != nil {
		return fmt.Errorf("set up the disruption controller: %w", err)
	}
	err = ctrl.NewControllerManagedBy(manager).Named(Name+"-target").For(&corev1.Pod{}, builder.WithPredicates(mayBeStale())).
		WithOptions(requeue.Options(options.ConcurrentSyncs)).
		Complete(&targets{cache: manager.GetCache(), reset: options.Reset, clock: options.Clock, actor: &act.Actor{Client: writer, Recorder: recorder}})
	if err != nil {
		return fmt.Errorf("set up the controller of the condition DisruptionTarget: %w", err)
	}
	return nil
}

// Reconciler makes one pass over one budget at a time.
type Reconciler struct {
	clock    clock.PassiveClock
	plan     plan.Planner
	observer *observe.Observer
	actor    *act.Actor
	retries  requeue.Retries
}

// NewReconciler returns a Reconciler with the clock and the planner of options.
func NewReconciler(options Options, observer *observe.Observer, writer client.StatusClient, recorder events.EventRecorder) *Reconciler {
	options = options.withDefaults()
	return &Reconciler{
		clock: options.Clock, plan: options.Plan, observer: observer, actor: &act.Actor{Client: writer, Recorder: recorder}, retries: requeue.NewRetries(),
	}
}

// Reconcile observes, plans and acts once.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	state, err := r.observer.Observe(ctx, request.NamespacedName)
	if err != nil {
		if apierrors.IsNotFound(err) {
			r.retries.Succeeded(request)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	actions := r.plan(state, r.clock.Now())
	err = r.actor.Do(ctx, state.Budget, actions)
	switch {
	case errors.Is(err, stale.ErrView):
		return outdated(ctx, err)
	case err != nil:
		return r.failed(ctx, request, actions.RequeueAfter, err)
	case actions.Retry != nil:
		return r.failed(ctx, request, actions.RequeueAfter, actions.Retry)
	}
	r.retries.Succeeded(request)
	return reconcile.Result{RequeueAfter: actions.RequeueAfter}, nil
}

// failed ends a pass that is to be repeated, and that announced to come back after byClock, unless that is zero: an eviction is given up in time, however rarely a
// scale is still asked for (PDB-015).
func (r *Reconciler) failed(ctx context.Context, request reconcile.Request, byClock time.Duration, err error) (reconcile.Result, error) {
	if byClock == 0 {
		return reconcile.Result{}, err
	}
	log.FromContext(ctx).Error(err, "The pass failed, and is repeated")
	return r.retries.Failed(request, byClock), nil
}

// outdated makes another pass of an outdated view, and leaves any other error to the queue.
func outdated(ctx context.Context, err error) (reconcile.Result, error) {
	if !errors.Is(err, stale.ErrView) {
		return reconcile.Result{}, err
	}
	log.FromContext(ctx).V(1).Info("The plan was outdated, planning again", "reason", err.Error())
	return reconcile.Result{RequeueAfter: requeue.StaleRetry}, nil
}
