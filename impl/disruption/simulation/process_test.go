package simulation

import (
	"context"
	"maps"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption"
	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// process is the controller with its cache, until it is killed.
type process struct {
	api        *apiServer
	cache      *cache
	reconciler reconcile.Reconciler
	concerned  plan.Concern
	// due is when the next pass is; zero for none. failures are those of the passes before it.
	due      time.Time
	failures int
}

// frozenClock is the API server's.
type frozenClock struct{ api *apiServer }

func (c frozenClock) Now() time.Time                  { return c.api.now }
func (c frozenClock) Since(t time.Time) time.Duration { return c.api.now.Sub(t) }

// start begins a process with options, whose cache is that of this moment.
func start(a *apiServer, options disruption.Options, w writer) *process {
	options.Clock = frozenClock{a}
	p := &process{api: a, cache: &cache{pods: maps.Clone(a.pods), budget: a.budget}, concerned: options.Concerned}
	if p.concerned == nil {
		p.concerned = plan.Concerned
	}
	observer := &observe.Observer{Cache: p.cache, Scales: scales{api: a}}
	var status client.StatusClient = w
	if options.Writer != nil {
		status = options.Writer(status)
	}
	p.reconciler = disruption.NewReconciler(options, observer, status, &events.FakeRecorder{})
	a.tell = func(e event) { p.cache.pending = append(p.cache.pending, e) }
	p.wake(0)
	return p
}

// wake makes sure that there is a pass no later than after wait.
func (p *process) wake(wait time.Duration) {
	at := p.api.now.Add(wait)
	if p.due.IsZero() || at.Before(p.due) {
		p.due = at
	}
}

// step lets what is due happen now.
func (p *process) step(ctx context.Context) {
	for {
		e, due := p.cache.take(p.api)
		if !due {
			break
		}
		p.hear(e)
	}
	if p.due.IsZero() || p.due.After(p.api.now) {
		return
	}
	p.due = time.Time{}
	result, err := p.reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.api.budget)})
	switch {
	case err != nil:
		p.failures++
		p.wake(min(20*time.Millisecond<<min(p.failures, 12), 30*time.Second))
	case result.RequeueAfter > 0:
		p.failures = 0
		p.wake(result.RequeueAfter)
	default:
		p.failures = 0
	}
}

// hear takes an event in, as package disruption's watches do.
func (p *process) hear(e event) {
	if e.budget != nil {
		p.cache.budget = e.budget
		p.wake(0)
		return
	}
	before := p.cache.pods[e.name]
	if e.pod == nil {
		delete(p.cache.pods, e.name)
	} else {
		p.cache.pods[e.name] = e.pod
	}
	if len(p.concerned([]*policyv1.PodDisruptionBudget{p.cache.budget}, before, e.pod)) > 0 {
		p.wake(0)
	}
}
