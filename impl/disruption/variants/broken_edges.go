package variants

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenEdges take zero for nothing, and one object for another.
func brokenEdges() []Variant {
	return []Variant{
		{Name: "zero-is-no-limit", Says: "Takes an integer minAvailable of 0 for no limit at all, which allows nothing.", Breaks: []string{"PDB-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if least := state.Budget.Spec.MinAvailable; least != nil && least.Type == intstr.Int && least.IntVal == 0 {
					changeBudget(state, func(budget *policyv1.PodDisruptionBudget) { budget.Spec.MinAvailable = nil })
				}
			})},
		{Name: "counts-a-workload-for-its-predecessor", Says: "Counts the scale of a workload once more for pods whose controller is gone and had its name.", Breaks: []string{"PDB-007"},
			Planner: seeing(succeed)},
	}
}

// succeed gives controllers that are gone the scale of those that have their kinds and names now.
func succeed(state *plan.State, _ time.Time) {
	type named struct{ kind, name string }
	present, names := map[named]plan.Controller{}, map[types.UID]named{}
	for _, pod := range selected(*state) {
		reference := metav1.GetControllerOfNoCopy(pod)
		if reference == nil {
			continue
		}
		names[reference.UID] = named{reference.Kind, reference.Name}
		if known := state.Controllers[reference.UID]; !known.Gone && known.Err == nil {
			present[names[reference.UID]] = known
		}
	}
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		if successor, is := present[names[reference]]; is && c.Gone {
			successor.UID = reference
			return successor
		}
		return c
	})
}
