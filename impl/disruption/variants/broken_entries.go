package variants

import (
	"context"
	"maps"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenEntries lose entries that the API server made in disruptedPods, or a status that was not written.
func brokenEntries() []Variant {
	return []Variant{
		{Name: "forgets-evictions-with-a-new-spec", Says: "Empties disruptedPods when the spec of the budget has changed.", Breaks: []string{"PDB-012"},
			Planner: withoutEvictions(func(state plan.State, _ string, _ metav1.Time, _ time.Time) bool {
				return state.Budget.Status.ObservedGeneration != state.Budget.Generation
			})},
		{Name: "takes-no-evictions-from-the-future", Says: "Removes pods from disruptedPods whose eviction is in the future by its own clock.", Breaks: []string{"PDB-012"},
			Planner: withoutEvictions(func(_ plan.State, _ string, granted metav1.Time, now time.Time) bool { return granted.After(now) })},
		{Name: "forgets-evictions-of-unready-pods", Says: "Removes pods from disruptedPods that are not Ready.", Breaks: []string{"PDB-012"},
			Planner: withoutEvictions(func(state plan.State, name string, _ metav1.Time, _ time.Time) bool {
				for _, pod := range selected(state) {
					if pod.Name == name {
						return !plan.IsHealthy(pod)
					}
				}
				return false
			})},
		{Name: "keeps-evictions-of-pods-that-vanish", Says: "Keeps a pod in disruptedPods for two minutes that is gone and was not seen to terminate.", Breaks: []string{"PDB-016"},
			Planner: reporting(keepVanished)},
		{Name: "wakes-for-evictions-that-it-noted", Says: "Looks again in time for the pods alone that came to disruptedPods since its process began.",
			Breaks: []string{"PDB-015"}, Planner: remember(wakeForNoted)},
		{Name: "gives-up-a-status-that-is-not-written", Says: "Treats a status that the API server refused as written.", Breaks: []string{"PDB-026"},
			Writer: func(c client.StatusClient) client.StatusClient { return careless{c} }},
	}
}

// keepVanished leaves the entries of pods that are not there until they have run out.
func keepVanished(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
	there := map[string]bool{}
	for _, pod := range selected(state) {
		there[pod.Name] = true
	}
	for name, granted := range state.Budget.Status.DisruptedPods {
		if !there[name] && now.Before(granted.Add(plan.DeletionTimeout)) {
			status.DisruptedPods[name] = granted
		}
	}
}

// wakeForNoted forgets the time of entries that were there when the process first saw the budget.
func wakeForNoted(m *memory[map[string]metav1.Time]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		found := m.of(state)
		if *found == nil {
			*found = map[string]metav1.Time{}
			maps.Copy(*found, state.Budget.Status.DisruptedPods)
		}
		status := actions.Status
		if status == nil {
			status = &state.Budget.Status
		}
		if len(status.DisruptedPods) == 0 {
			return
		}
		actions.RequeueAfter = 0
		for name, granted := range status.DisruptedPods {
			if before, met := (*found)[name]; !met || !before.Equal(&granted) {
				comeBack(actions, max(granted.Add(plan.DeletionTimeout).Sub(now), time.Millisecond))
			}
		}
	})
}

// withoutEvictions takes those entries off disruptedPods that which selects.
func withoutEvictions(which func(state plan.State, pod string, granted metav1.Time, now time.Time) bool) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			real := state
			changeBudget(&state, func(budget *policyv1.PodDisruptionBudget) {
				for name, granted := range budget.Status.DisruptedPods {
					if which(real, name, granted, now) {
						delete(budget.Status.DisruptedPods, name)
					}
				}
			})
			actions := next(state, now)
			if actions.Status == nil && !apiequality.Semantic.DeepEqual(state.Budget.Status, real.Budget.Status) {
				actions.Status = state.Budget.Status.DeepCopy()
			}
			return actions
		}
	}
}

// careless says of every status that it was written, but for one that was outdated.
type careless struct{ client.StatusClient }

func (c careless) Status() client.SubResourceWriter {
	return carelessWriter{c.StatusClient.Status()}
}

type carelessWriter struct{ client.SubResourceWriter }

func (w carelessWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if err := w.SubResourceWriter.Update(ctx, object, options...); apierrors.IsConflict(err) {
		return err
	}
	return nil
}
