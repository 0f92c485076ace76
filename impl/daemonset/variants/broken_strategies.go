package variants

import (
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStrategies keep to what a DaemonSet asked for before, or another one does.
func brokenStrategies() []Variant {
	return []Variant{
		{Name: "on-delete-lets-a-rollout-end", Says: "Ends a rollout by the strategy that it began with, although it was changed to OnDelete.",
			Breaks: []string{"SURGE-015"}, Planner: remember(strategyOfTheBeginning)},
		{Name: "surge-begins-with-the-next-template",
			Says:   "Deletes first the pods that were outdated with the OnDelete strategy, although the DaemonSet has come to surge.",
			Breaks: []string{"SURGE-016"}, Planner: remember(noSurgeAfterOnDelete)},
		{Name: "one-back-off-for-all-daemonsets", Says: "Lets a pod that failed wait as long as the pods of any DaemonSet that failed on its node.",
			Breaks: []string{"TARGET-010"}, Planner: remembering(shareBackoffs)},
	}
}

// strategySeen is the strategy by which a template was begun.
type strategySeen struct {
	rollout  rolloutSeen
	strategy appsv1.DaemonSetUpdateStrategy
}

func (s *strategySeen) of(state plan.State) appsv1.DaemonSetUpdateStrategy {
	if before := s.rollout.generation; s.rollout.of(state).generation != before {
		state.DaemonSet.Spec.UpdateStrategy.DeepCopyInto(&s.strategy)
	}
	return s.strategy
}

func strategyOfTheBeginning(m *memory[strategySeen]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		if began := m.of(state).of(state); onDelete(state) && began.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			began.DeepCopyInto(&spec.UpdateStrategy)
		}
	})
}

func noSurgeAfterOnDelete(m *memory[strategySeen]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		if began := m.of(state).of(state); began.Type == appsv1.OnDeleteDaemonSetStrategyType && maySurge(state) {
			none, one := intstr.FromInt32(0), intstr.FromInt32(1)
			spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: &none, MaxUnavailable: &one}
		}
	})
}

func shareBackoffs() Around {
	var mu sync.Mutex
	shared := map[string]plan.Backoff{}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			mu.Lock()
			defer mu.Unlock()
			state.Backoff = map[string]plan.Backoff{}
			for name, b := range shared {
				state.Backoff[name] = b
			}
			actions := next(state, now)
			for name, b := range actions.Backoff {
				shared[name] = b
			}
			return actions
		}
	}
}
