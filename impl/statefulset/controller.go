// Package statefulset is the reference's controller of StatefulSets, in the place of the one in kube-controller-manager: it updates their pods in place
// where they ask for that. Package observe reads, plan decides, act writes; what is left here is when to do so.
package statefulset

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/eventlimit"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/act"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/observe"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// Name of the controller in logs and metrics.
const Name = "statefulset"

// Options configure the controller; the zero value has the defaults.
type Options struct {
	// ConcurrentSyncs is how many StatefulSets are worked on at once; default requeue.DefaultConcurrentSyncs.
	ConcurrentSyncs int
	// Clock tells what pods' timestamps are compared with; default the system's.
	Clock clock.PassiveClock

	// Plan decides; default plan.Plan.
	Plan plan.Planner
	// Writer wraps the client that all writes go through; default none.
	Writer func(client.Client) client.Client
	// Live wraps the client that reads past all caches; default none.
	Live func(client.Reader) client.Reader
}

// SetupWithManager adds the controller to manager, with its watches. It starts when the manager starts, as the leader if the manager elects one.
func SetupWithManager(manager ctrl.Manager, options Options) error {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.Plan == nil {
		options.Plan = plan.Plan
	}
	writer, live := manager.GetClient(), manager.GetAPIReader()
	if options.Writer != nil {
		writer = options.Writer(writer)
	}
	if options.Live != nil {
		live = options.Live(live)
	}
	r := &Reconciler{
		Clock: options.Clock, Plan: options.Plan, Cache: manager.GetCache(), Live: live,
		Actor: &act.Actor{Client: writer, Recorder: eventlimit.New(manager.GetEventRecorder("rollcall-reference"), options.Clock)},
	}
	err := ctrl.NewControllerManagedBy(manager).
		Named(Name).
		For(&appsv1.StatefulSet{}).
		Owns(&corev1.Pod{}).
		Owns(&appsv1.ControllerRevision{}).
		WithOptions(requeue.Options(options.ConcurrentSyncs)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("set up the StatefulSet controller: %w", err)
	}
	return nil
}

// Reconciler makes one pass over one StatefulSet at a time. All fields are required.
type Reconciler struct {
	Clock clock.PassiveClock
	Plan  plan.Planner
	// Cache holds StatefulSets, pods and ControllerRevisions; Live bypasses it.
	Cache, Live client.Reader
	Actor       *act.Actor
}

// Reconcile observes, plans and acts once.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	state, err := observe.Observe(ctx, r.Cache, r.Live, request.NamespacedName)
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	actions := r.Plan(state, r.Clock.Now())
	if err := r.Actor.Do(ctx, state.Set, actions); err != nil {
		if !stale.Only(err) {
			return reconcile.Result{}, err
		}
		log.FromContext(ctx).V(1).Info("The plan was outdated, planning again", "reason", err.Error())
		return reconcile.Result{RequeueAfter: requeue.StaleRetry}, nil
	}
	return reconcile.Result{RequeueAfter: actions.RequeueAfter}, nil
}
