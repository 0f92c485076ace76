package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenShares take a share of another number, or the wrong scale, in one situation.
func brokenShares() []Variant {
	return []Variant{
		{Name: "rounds-for-each-controller", Says: "Rounds a percentage for each controller, and adds up what comes of it.", Breaks: []string{"PDB-002", "PDB-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				rounded := func(share int32) (total int32) {
					for _, replicas := range scales(state) {
						total += (replicas*share + 99) / 100
					}
					return total
				}
				if share, is := percentage(state.Budget.Spec.MinAvailable); is {
					status.DesiredHealthy = rounded(share)
				}
				if share, is := percentage(state.Budget.Spec.MaxUnavailable); is {
					status.DesiredHealthy = max(0, status.ExpectedPods-rounded(share))
				}
			})},
		{Name: "takes-a-share-of-the-pods-there-are", Says: "Takes a percentage of the number of pods that there are, where they are fewer than there should be.",
			Breaks: []string{"PDB-002", "PDB-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				rescale(status, state, min(status.ExpectedPods, int32(len(selected(state)))))
			})},
		{Name: "expects-all-the-pods-there-are", Says: "Takes a percentage of the number of pods that there are, where they are more than there should be.",
			Breaks: []string{"PDB-002", "PDB-004"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				rescale(status, state, max(status.ExpectedPods, int32(len(selected(state)))))
			})},
		{Name: "allows-one-of-zero-percent", Says: "Lets one pod be unavailable of a maxUnavailable of 0%.", Breaks: []string{"PDB-005"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if share, is := percentage(state.Budget.Spec.MaxUnavailable); is && share == 0 {
					status.DesiredHealthy = max(0, status.ExpectedPods-1)
				}
			})},
		{Name: "scales-of-controllers-with-healthy-pods", Says: "Counts the scale of a controller only while one of its pods is healthy.", Breaks: []string{"PDB-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				serving := sets.New[types.UID]()
				for _, pod := range selected(*state) {
					if controller := metav1.GetControllerOfNoCopy(pod); controller != nil && plan.IsHealthy(pod) {
						serving.Insert(state.Controllers[controller.UID].UID)
					}
				}
				changeControllers(state, func(_ types.UID, c plan.Controller) plan.Controller {
					if !serving.Has(c.UID) {
						c.Replicas = 0
					}
					return c
				})
			})},
		{Name: "takes-no-replicas-for-one", Says: "Takes a controller that is scaled to zero for one that does not say its scale.", Breaks: []string{"PDB-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeControllers(state, func(_ types.UID, c plan.Controller) plan.Controller {
					if c.Err == nil && !c.Gone {
						c.Replicas = max(c.Replicas, 1)
					}
					return c
				})
			})},
		{Name: "tells-readiness-to-the-first-budget", Says: "Looks at the first budget of a pod that has several, when the pod becomes Ready or is not any more.",
			Breaks: []string{"PDB-028"},
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				concerned := plan.Concerned(budgets, before, after)
				if before != nil && after != nil && after.DeletionTimestamp == nil && plan.IsHealthy(before) != plan.IsHealthy(after) {
					return concerned[:min(1, len(concerned))]
				}
				return concerned
			}},
	}
}

// scales are those of the controllers of the selected pods, each once.
func scales(state plan.State) map[types.UID]int32 {
	all := map[types.UID]int32{}
	for _, pod := range selected(state) {
		if reference := metav1.GetControllerOfNoCopy(pod); reference != nil {
			controller := state.Controllers[reference.UID]
			all[controller.UID] = controller.Replicas
		}
	}
	return all
}

// rescale computes a percentage of another scale; any other budget stays as it is.
func rescale(status *policyv1.PodDisruptionBudgetStatus, state plan.State, scale int32) {
	if share, is := percentage(state.Budget.Spec.MinAvailable); is {
		status.ExpectedPods, status.DesiredHealthy = scale, (scale*share+99)/100
	}
	if share, is := percentage(state.Budget.Spec.MaxUnavailable); is {
		status.ExpectedPods, status.DesiredHealthy = scale, max(0, scale-(scale*share+99)/100)
	}
}
