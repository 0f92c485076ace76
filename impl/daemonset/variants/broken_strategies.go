package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStrategies keep to what a DaemonSet asked for before.
func brokenStrategies() []Variant {
	return []Variant{
		{Name: "on-delete-lets-a-rollout-end", Says: "Ends a rollout by the strategy that it began with, although it was changed to OnDelete.",
			Breaks: []string{"SURGE-015"}, Planner: remember(strategyOfTheBeginning)},
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
