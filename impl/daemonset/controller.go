// Package daemonset is the reference DaemonSet controller: a drop-in replacement for the one in
// kube-controller-manager. It connects three parts that know nothing of each other: observe reads the caches into a
// value, plan decides, act writes. What is left here is when to do so: the watches, the queue and the timers.
package daemonset

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/workload"
	"github.com/rollcall-conformance/rollcall/impl/eventlimit"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// handoverRetry is how soon a cache that has not caught up with the previous leader is compared again.
const handoverRetry = 50 * time.Millisecond

// Options configure the controller; the zero value has the defaults.
type Options struct {
	// ConcurrentSyncs is how many DaemonSets are worked on at once; default requeue.DefaultConcurrentSyncs.
	ConcurrentSyncs int
	// Clock tells what pods' timestamps are compared with; default the system's.
	Clock clock.PassiveClock

	// Workload is the API whose objects are reconciled; default the DaemonSets of apps/v1.
	Workload *workload.API

	// SurgeDisabled: the feature gate DaemonSetUpdateSurge is off. Default: it is on.
	SurgeDisabled bool

	// Plan decides; default plan.Plan.
	Plan plan.Planner
	// Writer wraps the client that all writes go through; default none.
	Writer func(client.Client) client.Client
	// Live wraps the client that reads past all caches; default none.
	Live func(client.Reader) client.Reader
	// Around wraps the reconciler; default none. The client reads from the caches and writes.
	Around func(reconcile.Reconciler, client.Client) reconcile.Reconciler
}

// SetupWithManager adds the controller to manager, with its indexes, watches and metrics. It starts when the manager
// starts, as the leader if the manager elects one.
func SetupWithManager(ctx context.Context, manager ctrl.Manager, options Options) error {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.Plan == nil {
		options.Plan = plan.Plan
	}
	api := options.Workload
	// All reading and writing is done through these: of another API they make apps/v1.
	cached, live, all := api.Reader(manager.GetCache()), api.Reader(manager.GetAPIReader()), api.Client(manager.GetClient())
	writer := all
	if options.Writer != nil {
		writer = options.Writer(writer)
	}
	if options.Live != nil {
		live = options.Live(live)
	}
	numbers, err := act.NewMetrics(metrics.Registry)
	if err != nil {
		return err
	}
	if err := observe.Index(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	handover := observe.NewHandover(live)
	writes := act.NewOwnWrites(options.Clock, func(ds types.UID) {
		numbers.OwnWritesTimedOut()
		handover.Doubt(ds)
	})
	var r reconcile.Reconciler = &Reconciler{
		surgeDisabled: options.SurgeDisabled,

		clock:    options.Clock,
		plan:     options.Plan,
		observer: observe.New(cached),
		handover: handover,
		writes:   writes,
		metrics:  numbers,
		backoffs: newBackoffs(),
		retries:  requeue.NewRetries(),
		actor: &act.Actor{
			Client:   writer,
			Live:     live,
			Recorder: eventlimit.New(manager.GetEventRecorder("rollcall-reference"), options.Clock),
			Writes:   writes,
			Metrics:  numbers,
		},
	}
	if options.Around != nil {
		r = options.Around(r, all)
	}
	w := &watches{cache: cached, api: api, seen: writes.Seen}
	err = ctrl.NewControllerManagedBy(manager).
		Named("daemonset").
		For(api.New()).
		Watches(&corev1.Pod{}, w.pods()).
		Watches(&appsv1.ControllerRevision{}, w.revisions()).
		Watches(&corev1.Node{}, w.nodes()).
		WithOptions(requeue.Options(options.ConcurrentSyncs)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("set up the DaemonSet controller: %w", err)
	}
	return nil
}

// Reconciler makes one pass over one DaemonSet at a time.
type Reconciler struct {
	surgeDisabled bool

	clock    clock.PassiveClock
	plan     plan.Planner
	observer *observe.Observer
	handover *observe.Handover
	writes   *act.OwnWrites
	backoffs *backoffs
	retries  requeue.Retries
	metrics  *act.Metrics
	actor    *act.Actor
}

// Reconcile observes, plans and acts once.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	mark := r.writes.Mark()
	state, err := r.observer.Observe(ctx, request.NamespacedName)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	if err != nil {
		r.forget(request.NamespacedName)
		return reconcile.Result{}, nil
	}
	ds := state.DaemonSet
	state.SurgeDisabled = r.surgeDisabled
	r.backoffs.recall(request.NamespacedName, &state)
	// What is awaited in vain is looked up: the wait comes before the question whether the cache is confirmed.
	wait := r.writes.Awaited(state, mark)
	confirmed, err := r.confirmed(ctx, state)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !confirmed {
		// It may be any moment of the past: not even its numbers are worth reporting.
		r.metrics.Pass("waiting")
		return reconcile.Result{RequeueAfter: handoverRetry}, nil
	}
	state.AwaitingOwnWrites = wait > 0

	actions := r.plan(state, r.clock.Now())
	if actions.Err != nil {
		log.FromContext(ctx).Info("The DaemonSet is not valid, leaving it alone", "reason", actions.Err.Error())
	}
	err = r.actor.Do(ctx, ds, actions)
	// Kept whether or not the deletions worked: a failed one is not worth a hot loop either.
	r.backoffs.keep(request.NamespacedName, actions, act.Refusals(err), r.clock.Now())
	if !state.AwaitingOwnWrites {
		r.backoffs.tried(request.NamespacedName, actions, err, r.clock.Now())
	}
	if err != nil {
		return r.failed(ctx, request, ds.UID, actions.RequeueAfter, err)
	}
	r.retries.Succeeded(request)
	r.metrics.Rollout(ds.Namespace, ds.Name, actions.RolloutInProgress)
	if wait > 0 {
		r.metrics.Pass("waiting")
		return reconcile.Result{RequeueAfter: soonest(wait, actions.RequeueAfter)}, nil
	}
	r.metrics.Pass("done")
	return reconcile.Result{RequeueAfter: actions.RequeueAfter}, nil
}

// confirmed reports whether state is not behind what other processes, or this one in doubt, wrote. For a DaemonSet that is
// being deleted it does not matter: nothing is planned for it.
func (r *Reconciler) confirmed(ctx context.Context, state plan.State) (bool, error) {
	if state.DaemonSet.DeletionTimestamp != nil {
		return true, nil
	}
	return r.handover.Confirmed(ctx, state)
}

// failed ends a pass over a DaemonSet some of whose writes failed, and that announced to come back after byClock, unless that is zero.
func (r *Reconciler) failed(ctx context.Context, request reconcile.Request, ds types.UID, byClock time.Duration, err error) (reconcile.Result, error) {
	if errors.Is(err, act.ErrUnknownOutcome) {
		r.handover.Doubt(ds)
	}
	if stale.Only(err) {
		r.metrics.Pass("stale")
		log.FromContext(ctx).V(1).Info("The plan was outdated, planning again", "reason", err.Error())
		return reconcile.Result{RequeueAfter: requeue.StaleRetry}, nil
	}
	r.metrics.Pass("failed")
	if byClock == 0 {
		return reconcile.Result{}, err
	}
	log.FromContext(ctx).Error(err, "The pass failed, and is repeated")
	return r.retries.Failed(request, byClock), nil
}

func (r *Reconciler) forget(key types.NamespacedName) {
	if uid := r.backoffs.forget(key); uid != "" {
		r.writes.Forget(uid)
		r.handover.Doubt(uid)
	}
	r.retries.Succeeded(reconcile.Request{NamespacedName: key})
	r.metrics.Forget(key.Namespace, key.Name)
}

// soonest returns the shorter of two waits of which the second may be none.
func soonest(wait, other time.Duration) time.Duration {
	if other > 0 && other < wait {
		return other
	}
	return wait
}
