package variants

import (
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenCoincidences are right as long as one thing happens at a time: it takes two to show them.
func brokenCoincidences() []Variant {
	return []Variant{
		{Name: "hears-of-no-labels-of-unready-pods", Says: "Does not look at a budget when a pod that is not Ready gets labels by which the budget selects it, or does not any more.",
			Breaks: []string{"PDB-026", "PDB-027"}, Concerned: hearOfNoLabelsOfUnreadyPods},
		{Name: "expects-no-scale-of-evicted-pods", Says: "Counts the scale of a workload only while one of its selected pods is not listed in disruptedPods.",
			Breaks: []string{"PDB-007"}, Planner: counting(withoutScalesOfEvicted)},
		{Name: "shares-evictions-between-budgets", Says: "Counts a pod whose eviction one budget has listed as healthy for no other budget, either.",
			Breaks: []string{"PDB-001"}, Planner: shareEvictions},
	}
}

// hearOfNoLabelsOfUnreadyPods spares the budgets those changes of labels by which no healthy pod comes or goes.
func hearOfNoLabelsOfUnreadyPods(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
	stays := before != nil && after != nil && before.UID == after.UID && before.DeletionTimestamp == nil && after.DeletionTimestamp == nil
	if stays && !plan.IsHealthy(before) && !plan.IsHealthy(after) && !maps.Equal(before.Labels, after.Labels) {
		return nil
	}
	return plan.Concerned(budgets, before, after)
}

// withoutScalesOfEvicted takes what is expected from the pods that nobody evicts.
func withoutScalesOfEvicted(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
	if !plan.NeedsScale(state.Budget) || len(status.DisruptedPods) == 0 {
		return
	}
	withoutPods(&state, func(pod *corev1.Pod) bool {
		_, listed := status.DisruptedPods[pod.Name]
		return listed
	})
	// The numbers do not depend on the time.
	rest := state.Budget.Status
	if actions := plan.Plan(state, time.Time{}); actions.Status != nil {
		rest = *actions.Status
	}
	status.ExpectedPods, status.DesiredHealthy = rest.ExpectedPods, rest.DesiredHealthy
}

// eviction is one that a budget has listed.
type eviction struct {
	budget  types.UID
	granted time.Time
}

// shareEvictions remembers evictions by their pods, whichever budget listed them, until the pods terminate or the evictions are given up.
func shareEvictions(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	evictions := map[types.UID]eviction{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		var again time.Time
		leaving := map[types.UID]bool{}
		for _, pod := range selected(state) {
			if granted, listed := state.Budget.Status.DisruptedPods[pod.Name]; listed {
				evictions[pod.UID] = eviction{budget: state.Budget.UID, granted: granted.Time}
			}
			known, evicted := evictions[pod.UID]
			if !evicted {
				continue
			}
			lapses := known.granted.Add(plan.DeletionTimeout)
			switch {
			case pod.DeletionTimestamp != nil, !lapses.After(now):
				delete(evictions, pod.UID)
			case known.budget != state.Budget.UID:
				leaving[pod.UID] = true
				if again.IsZero() || lapses.Before(again) {
					again = lapses
				}
			}
		}
		changePods(&state, func(pod *corev1.Pod) bool { return leaving[pod.UID] }, func(pod *corev1.Pod) {
			for i := range pod.Status.Conditions {
				if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady {
					condition.Status = corev1.ConditionFalse
				}
			}
		})
		actions := next(state, now)
		if !again.IsZero() {
			comeBack(&actions, again.Sub(now))
		}
		return actions
	}
}
