package variants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulPaces are slower than the reference, within what promptly means, or look more often.
func lawfulPaces() []Variant {
	const prompt = "A reaction may take five seconds."
	return []Variant{
		{Name: "counts-after-two-seconds", Says: "Writes a status once there has been something to write for two seconds.", Lawful: prompt,
			Planner: remember(func(m *memory[time.Time]) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					since := m.of(state)
					if actions.Status == nil {
						*since = time.Time{}
						return
					}
					if since.IsZero() {
						*since = now
					}
					hold(actions, since.Add(2*time.Second).Sub(now))
				})
			})},
		{Name: "allows-more-late", Says: "Writes at once that fewer disruptions are allowed, and two seconds later that more are.", Lawful: prompt,
			Planner: remember(func(m *memory[time.Time]) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					since := m.of(state)
					if actions.Status == nil || actions.Status.DisruptionsAllowed <= state.Budget.Status.DisruptionsAllowed {
						*since = time.Time{}
						return
					}
					if since.IsZero() {
						*since = now
					}
					hold(actions, since.Add(2*time.Second).Sub(now))
				})
			})},
		{Name: "batches-budget-writes", Says: "Writes a status no more than once in three seconds.", Lawful: prompt,
			Planner: remember(func(m *memory[time.Time]) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					last := m.of(state)
					if actions.Status == nil || hold(actions, last.Add(3*time.Second).Sub(now)) {
						return
					}
					*last = now
				})
			})},
		{Name: "looks-at-budgets-every-second", Says: "Looks at every budget once a second, and writes nothing where nothing has changed.",
			Lawful:  "PDB-025 forbids writes, not looks.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { comeBack(actions, time.Second) })},
		{Name: "looks-at-all-budgets", Says: "Looks at every budget of the namespace whenever a pod changes.", Lawful: "A look is no write.",
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, _, _ *corev1.Pod) []*policyv1.PodDisruptionBudget {
				return budgets
			}},
		{Name: "reacts-to-budgets-after-a-second", Says: "Begins to look a second after what made it look.", Lawful: prompt,
			Reconciler: func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					select {
					case <-time.After(time.Second):
						return inner.Reconcile(ctx, request)
					case <-ctx.Done():
						return reconcile.Result{}, ctx.Err()
					}
				})
			}},
	}
}

// hold drops the status for now if there is a wait, and comes back after it.
func hold(actions *plan.Actions, wait time.Duration) bool {
	if wait <= 0 {
		return false
	}
	actions.Status, actions.Events = nil, nil
	comeBack(actions, wait)
	return true
}
