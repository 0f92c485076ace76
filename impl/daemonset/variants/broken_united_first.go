package variants

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedFirst go by what was first, or what comes first.
func brokenUnitedFirst() []Variant {
	return []Variant{
		{Name: "united-keeps-the-pace-of-the-beginning", Says: "Moves as many nodes at once as the target allowed when the UnitedDaemonSet was last changed.",
			Breaks: []string{"UNITED-027"}, United: paceOfGeneration},
		{Name: "united-names-the-first-bad-patch", Says: "Says of several patches that cannot be applied what is wrong with the first.",
			Breaks: []string{"UNITED-038"},
			United: reportingUnited(func(status *api.Status, _ plan.State) {
				if condition := meta.FindStatusCondition(status.Conditions, api.SubsetsValid); condition != nil {
					condition.Message, _, _ = strings.Cut(condition.Message, "; subset ")
				}
			})},
	}
}

// generationOf is a UnitedDaemonSet as it was last changed.
type generationOf struct {
	uid        types.UID
	generation int64
}

// paceOfGeneration paces moves by the strategy that the target had when the process first saw the generation of the UnitedDaemonSet.
func paceOfGeneration(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	first := map[generationOf]appsv1.DaemonSetUpdateStrategy{}
	return movingAs(func(state *plan.State) {
		target := targetOf(*state)
		if target == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		key := generationOf{state.United.UID, state.United.Generation}
		if _, known := first[key]; !known {
			first[key] = usersStrategy(target)
		}
		i := slices.Index(state.DaemonSets, target)
		state.DaemonSets = slices.Clone(state.DaemonSets)
		state.DaemonSets[i] = target.DeepCopy()
		state.DaemonSets[i].Spec.UpdateStrategy = first[key]
		delete(state.DaemonSets[i].Annotations, plan.StrategyAnnotation)
	})(next)
}

// usersStrategy is the target's own strategy, suspended or not.
func usersStrategy(target *appsv1.DaemonSet) appsv1.DaemonSetUpdateStrategy {
	strategy := *target.Spec.UpdateStrategy.DeepCopy()
	if kept := target.Annotations[plan.StrategyAnnotation]; kept != "" && strategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		// It was encoded by the reference.
		_ = json.Unmarshal([]byte(kept), &strategy)
	}
	return strategy
}
