package main

import (
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

func TestBudgetsAreWaitedForUntilTheirStatusesSayWhatIsThere(t *testing.T) {
	for name, tt := range map[string]struct {
		wanted int
		over   bool
		lag    time.Duration
		tell   func(b *Builder, budget *Budget, a, other *Pod)
	}{
		"nothing was said": {1, false, 0, func(*Builder, *Budget, *Pod, *Pod) {}},
		"the status is right": {1, true, time.Second, func(b *Builder, budget *Budget, _, _ *Pod) {
			b.After(time.Second)
			budget.Says(0, 1, 1, 1)
		}},
		"the status is of a pod that is no longer Ready": {0, false, 0, func(_ *Builder, budget *Budget, a, _ *Pod) {
			budget.Says(0, 1, 1, 1)
			a.Unready()
		}},
		"it follows the pod": {0, true, 2 * time.Second, func(b *Builder, budget *Budget, a, _ *Pod) {
			budget.Says(0, 1, 1, 1)
			a.Unready()
			b.After(2 * time.Second)
			budget.Says(0, 0, 1, 1)
		}},
		"it is right by chance, before what the phase wants came": {0, false, 0, func(_ *Builder, budget *Budget, _, _ *Pod) {
			budget.Says(0, 1, 1, 1)
		}},
		"it is of another generation": {1, false, 0, func(_ *Builder, budget *Budget, _, _ *Pod) {
			budget.Set(MinAvailable("0"))
			budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
				status.ObservedGeneration, status.CurrentHealthy, status.ExpectedPods = 1, 1, 1
			})
		}},
		"a pod of no budget is Ready": {1, false, 0, func(_ *Builder, budget *Budget, _, other *Pod) {
			other.Ready()
			budget.Says(0, 1, 1, 1)
		}},
	} {
		b := New(t)
		b.Nodes(1)
		p := newBudgetProgress(1)
		over := p.begin(wanted{healthy: tt.wanted})
		a := b.Stranger("a", "node-0", map[string]string{budgetLabel: "0"})
		b.Stimulus(history.BecomeReady, a)
		a.Ready()
		other := b.Stranger("other", "node-0", map[string]string{budgetLabel: "1"})
		tt.tell(b, b.Budget("0", "0", MinAvailable("1")), a, other)
		for _, entry := range b.History().Entries {
			p.observe(entry)
		}
		select {
		case <-over:
			if spent, err := p.measured(); err != nil || !tt.over || spent.lag < tt.lag || spent.lag > tt.lag+time.Second/2 {
				t.Errorf("%s: over, after %v, %v: %s", name, spent, err, p.state())
			}
		default:
			if tt.over {
				t.Errorf("%s: not over: %s", name, p.state())
			}
		}
	}
}
