package variants

import (
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedReports are right as long as there is a target, whose pods may run on all of its nodes, and nothing is refused.
func brokenUnitedReports() []Variant {
	return []Variant{
		{Name: "united-observes-what-takes-effect", Says: "Reports no other observed generation while there is no target.", Breaks: []string{"UNITED-017"},
			United: reportingUnited(func(status *api.Status, state plan.State) {
				target := func(ds *appsv1.DaemonSet) bool { return ds.Name == state.United.Spec.TargetRef.Name }
				if !slices.ContainsFunc(state.DaemonSets, target) {
					status.ObservedGeneration = state.United.Status.ObservedGeneration
				}
			})},
		{Name: "united-wants-a-pod-on-every-node", Says: "Reports as many pods that are wanted as a subset has nodes.", Breaks: []string{"UNITED-018"},
			United: reportingUnited(func(status *api.Status, _ plan.State) {
				status.SubsetStatuses = slices.Clone(status.SubsetStatuses)
				for i := range status.SubsetStatuses {
					subset := &status.SubsetStatuses[i]
					subset.DesiredNumberScheduled = int32(len(subset.MatchNodes))
				}
			})},
		{Name: "united-gives-up-subsets-that-were-refused", Says: "Writes the DaemonSet of a subset no more once the API server has refused one of that name.",
			Breaks: []string{"UNITED-038"}, United: giveUpRefused},
	}
}

// giveUpRefused remembers of which subsets something was refused.
func giveUpRefused(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	refused := map[types.UID]map[string]bool{}
	return uniting(func(actions *plan.Actions, state plan.State) {
		mu.Lock()
		defer mu.Unlock()
		uid := state.United.UID
		if refused[uid] == nil {
			refused[uid] = map[string]bool{}
		}
		for subset := range state.Refused {
			refused[uid][subset] = true
		}
		actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool { return refused[uid][write.Subset] })
	})(next)
}
