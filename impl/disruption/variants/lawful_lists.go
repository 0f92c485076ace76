package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulLists keep the list of disrupted pods in other ways.
func lawfulLists() []Variant {
	return []Variant{
		{Name: "takes-pods-off-the-list-later", Says: "Writes what follows of a pod that terminates or is gone at once, and takes it off disruptedPods two seconds later.",
			Lawful:  "A reaction may take five seconds, and no requirement asks for one write.",
			Planner: remember(delist(2 * time.Second))},
	}
}

// delist keeps pods on the list that a status takes off it, for a while: those that are on their way out or gone, of which none of the name is healthy.
func delist(after time.Duration) func(m *memory[map[string]time.Time]) Around {
	return func(m *memory[map[string]time.Time]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			since, listed := m.of(state), state.Budget.Status.DisruptedPods
			if *since == nil {
				*since = map[string]time.Time{}
			}
			for name := range *since {
				if _, still := listed[name]; !still {
					delete(*since, name)
				}
			}
			if actions.Status == nil {
				return
			}
			status := actions.Status.DeepCopy()
			for name, at := range listed {
				if _, stays := status.DisruptedPods[name]; stays || there(state, name) {
					continue
				}
				if _, known := (*since)[name]; !known {
					(*since)[name] = now
				}
				if left := (*since)[name].Add(after).Sub(now); left > 0 {
					if status.DisruptedPods == nil {
						status.DisruptedPods = map[string]metav1.Time{}
					}
					status.DisruptedPods[name] = at
					comeBack(actions, left)
				}
			}
			if actions.Status = unlessWritten(state.Budget, status); actions.Status == nil {
				actions.Events = nil
			}
		})
	}
}

// there reports whether a pod of the name is there that is not on its way out.
func there(state plan.State, name string) bool {
	return slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return pod.Name == name && pod.DeletionTimestamp == nil })
}

// unlessWritten returns the status if it has to be written.
func unlessWritten(budget *policyv1.PodDisruptionBudget, status *policyv1.PodDisruptionBudgetStatus) *policyv1.PodDisruptionBudgetStatus {
	if apiequality.Semantic.DeepEqual(*status, budget.Status) {
		return nil
	}
	return status
}
