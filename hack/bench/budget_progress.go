package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// budgetProgress knows when as many pods are healthy as the phase wants, and the status of every budget says so.
type budgetProgress struct {
	stopwatch
	budgets int
	wanted  wanted
	ready   map[types.UID]bool
	healthy int
	// byName are the budgets, and those that do not exist yet but have pods.
	byName map[string]*budget
}

// budget is one budget with its pods.
type budget struct {
	object *policyv1.PodDisruptionBudget
	// pods are all that it selects, healthy those that are Ready.
	pods, healthy int32
	// changed is when, in this phase, the budget was created or a pod of it last changed its readiness; lag is how long after that its status was right.
	changed, lag time.Duration
}

func newBudgetProgress(budgets int) *budgetProgress {
	return &budgetProgress{budgets: budgets, ready: map[types.UID]bool{}, byName: map[string]*budget{}}
}

func (p *budgetProgress) begin(wanted wanted) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = wanted
	for _, b := range p.byName {
		b.changed, b.lag = 0, 0
	}
	return p.reset()
}

func (p *budgetProgress) observe(entry history.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch object := entry.Object.(type) {
	case *corev1.Pod:
		p.observePod(object, entry.Received)
	case *policyv1.PodDisruptionBudget:
		b := p.budget(object.Name)
		if b.object == nil {
			b.changed = entry.Received
		}
		b.object = object
		b.settle(entry.Received)
	}
	p.stopwatch.observe(entry, p.healthy == p.wanted.healthy && p.right() == p.budgets)
}

func (p *budgetProgress) observePod(pod *corev1.Pod, at time.Duration) {
	b, now := p.budget(pod.Labels[budgetLabel]), history.IsReady(pod)
	before, known := p.ready[pod.UID]
	if known && before == now {
		return
	}
	p.ready[pod.UID] = now
	if !known {
		b.pods++
	}
	if now {
		b.healthy, p.healthy = b.healthy+1, p.healthy+1
	} else if known {
		b.healthy, p.healthy = b.healthy-1, p.healthy-1
	}
	b.changed, b.lag = at, 0
	b.settle(at)
}

func (p *budgetProgress) budget(name string) *budget {
	if p.byName[name] == nil {
		p.byName[name] = &budget{}
	}
	return p.byName[name]
}

// settle notes when the status became right.
func (b *budget) settle(at time.Duration) {
	if b.lag == 0 && b.right() {
		b.lag = at - b.changed
	}
}

// right reports whether the status has the numbers of the budget's pods.
func (b *budget) right() bool {
	return b.object != nil && b.object.Status.ObservedGeneration == b.object.Generation &&
		b.object.Status.CurrentHealthy == b.healthy && b.object.Status.ExpectedPods == b.pods
}

// right is the number of budgets whose status is right.
func (p *budgetProgress) right() int {
	n := 0
	for _, b := range p.byName {
		if b.right() {
			n++
		}
	}
	return n
}

func (p *budgetProgress) measured() (cost, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed := slices.DeleteFunc(slices.Collect(maps.Values(p.byName)), func(b *budget) bool { return b.object == nil || b.changed == 0 })
	lag := trial.Median(changed, func(b *budget) float64 { return b.lag.Seconds() })
	return cost{took: p.took(), lag: time.Duration(lag * float64(time.Second))}, nil
}

func (p *budgetProgress) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d pods, %d of them healthy, where %d shall be; %d of %d budgets say what is there", len(p.ready), p.healthy, p.wanted.healthy, p.right(), p.budgets)
}
