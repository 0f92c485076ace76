package variants

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenSelections find the wrong pods for a budget, the wrong budgets for a pod, or the wrong controllers for the pods, of some kinds.
func brokenSelections() []Variant {
	return []Variant{
		{Name: "selects-by-match-labels-alone", Says: "Leaves the matchExpressions of a selector out.", Breaks: []string{"PDB-001", "PDBAPI-011"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeBudget(state, func(budget *policyv1.PodDisruptionBudget) {
					if budget.Spec.Selector != nil {
						budget.Spec.Selector.MatchExpressions = nil
					}
				})
			})},
		{Name: "hears-of-pods-by-match-labels", Says: "Does not look when a pod changes that a budget selects by matchExpressions alone.", Breaks: []string{"PDB-026"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				var found []*policyv1.PodDisruptionBudget
				for _, budget := range plan.Concerned(budgets, before, after) {
					if selector := budget.Spec.Selector; selector == nil || len(selector.MatchLabels) > 0 || len(selector.MatchExpressions) == 0 {
						found = append(found, budget)
					}
				}
				return found
			}},
		{Name: "hears-of-labels-that-match-labels-name", Says: "Takes no notice of a pod's labels that no matchLabels of a budget name until something else changes.",
			Breaks: []string{"PDB-027"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				if before != nil && after != nil && !named(budgets, before, after) {
					before = before.DeepCopy()
					before.Labels = after.Labels
				}
				return plan.Concerned(budgets, before, after)
			}},
		{Name: "hears-of-pods-by-the-first-selector", Says: "Does not look when a pod changes that a budget selects since it has another selector than at first.",
			Breaks: []string{"PDB-026"}, Concerned: byFirstSelectors()},
		{Name: "looks-at-one-of-equal-budgets", Says: "Looks at one of several budgets with the same selector when a pod changes.", Breaks: []string{"PDB-028"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				var found []*policyv1.PodDisruptionBudget
				known := sets.New[string]()
				for _, budget := range plan.Concerned(budgets, before, after) {
					if selector := metav1.FormatLabelSelector(budget.Spec.Selector); !known.Has(selector) {
						known.Insert(selector)
						found = append(found, budget)
					}
				}
				return found
			}},
		{Name: "counts-controllers-by-name", Says: "Counts controllers of one name once, whatever their kinds.", Breaks: []string{"PDB-008"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				named := map[string]types.UID{}
				references := controllerNames(*state)
				changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
					if c.Err != nil || c.Gone {
						return c
					}
					if first, known := named[references[reference]]; known {
						c.UID = first
					}
					named[references[reference]] = c.UID
					return c
				})
			})},
		{Name: "fails-when-nothing-has-a-scale", Says: "Leaves pods whose controller has no scale out if there are others.", Breaks: []string{"PDB-020"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				some := false
				for _, controller := range state.Controllers {
					some = some || controller.Err == nil && !controller.Gone
				}
				if some {
					withoutPods(state, func(pod *corev1.Pod) bool {
						controller := metav1.GetControllerOfNoCopy(pod)
						return controller != nil && state.Controllers[controller.UID].Err != nil
					})
				}
			})},
	}
}

// controllerNames are those of the controllers of the selected pods, by their UIDs.
func controllerNames(state plan.State) map[types.UID]string {
	names := map[types.UID]string{}
	for _, pod := range selected(state) {
		if reference := metav1.GetControllerOfNoCopy(pod); reference != nil {
			names[reference.UID] = reference.Name
		}
	}
	return names
}

// named reports whether the pods differ in a label that the matchLabels of a budget name.
func named(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) bool {
	return slices.ContainsFunc(budgets, func(budget *policyv1.PodDisruptionBudget) bool {
		if budget.Spec.Selector == nil {
			return false
		}
		for key := range budget.Spec.Selector.MatchLabels {
			if before.Labels[key] != after.Labels[key] {
				return true
			}
		}
		return false
	})
}

// byFirstSelectors takes each budget for one with the selector that it was first seen with.
func byFirstSelectors() plan.Concern {
	var mu sync.Mutex
	first := map[types.UID]*metav1.LabelSelector{}
	return func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
		mu.Lock()
		defer mu.Unlock()
		seen := make([]*policyv1.PodDisruptionBudget, len(budgets))
		for i, budget := range budgets {
			if _, known := first[budget.UID]; !known {
				first[budget.UID] = budget.Spec.Selector
			}
			seen[i] = budget.DeepCopy()
			seen[i].Spec.Selector = first[budget.UID]
		}
		return plan.Concerned(seen, before, after)
	}
}
