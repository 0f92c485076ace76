package main

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// budgetProgress knows when the status of every budget says how many of its pods are healthy, and as many are as the phase wants.
type budgetProgress struct {
	stopwatch
	budgets int
	wanted  wanted
	ready   map[types.UID]bool
	healthy int
	// byName are the budgets that there are or that pods are labelled with.
	byName map[string]*budget
}

// budget is one budget with its pods.
type budget struct {
	object *policyv1.PodDisruptionBudget
	// pods are all that it selects, healthy those that are Ready.
	pods, healthy int32
	// changed is when the budget came, or a pod of it changed its readiness, in this phase; lag is how long after that its status was right.
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

// settle notes when the status came to be right.
func (b *budget) settle(at time.Duration) {
	if b.lag == 0 && b.right() {
		b.lag = at - b.changed
	}
}

// right is whether the status says what is there.
func (b *budget) right() bool {
	return b.object != nil && b.object.Status.ObservedGeneration == b.object.Generation &&
		b.object.Status.CurrentHealthy == b.healthy && b.object.Status.ExpectedPods == b.pods
}

// right is how many budgets have a status that says what is there.
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
	var lags []time.Duration
	for _, b := range p.byName {
		if b.changed > 0 {
			lags = append(lags, b.lag)
		}
	}
	slices.Sort(lags)
	return cost{took: p.took(), lag: lags[len(lags)/2]}, nil
}

func (p *budgetProgress) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d pods, %d of them healthy, where %d shall be; %d of %d budgets say what is there", len(p.ready), p.healthy, p.wanted.healthy, p.right(), p.budgets)
}
