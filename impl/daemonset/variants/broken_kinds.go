package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenKinds confuse percentages and numbers as limits.
func brokenKinds() []Variant {
	return []Variant{
		{Name: "keeps-max-surge-when-its-kind-changes", Says: "Does not notice during a rollout that maxSurge becomes a percentage, or a number.",
			Breaks: []string{"SURGE-020"}, Planner: keepKind(maxSurge)},
		{Name: "keeps-max-unavailable-when-its-kind-changes", Says: "Does not notice during a rollout that maxUnavailable becomes a percentage, or a number.",
			Breaks: []string{"ROLLING-002"}, Planner: keepKind(maxUnavailable)},
		{Name: "zero-percent-is-not-zero-without-the-gate", Says: "Deletes no available old pod while the feature gate is off and maxUnavailable is 0%.",
			Breaks: []string{"GATE-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				rolling := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
				if state.SurgeDisabled && rolling != nil && rolling.MaxUnavailable != nil && rolling.MaxUnavailable.Type == intstr.String &&
					scaled(rolling.MaxUnavailable, 100, true) == 0 {
					withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
				}
			})},
	}
}

// kindSeen is the limit that is in force for one template.
type kindSeen struct {
	generation string
	value      *intstr.IntOrString
}

// keepKind keeps a limit of the kind that it has when a rollout begins.
func keepKind(which limit) Around {
	return remember(func(m *memory[kindSeen]) Around {
		return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
			seen, rolling := m.of(state), spec.UpdateStrategy.RollingUpdate
			if rolling == nil || *which(rolling) == nil {
				return
			}
			value, generation := *which(rolling), state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
			if seen.value == nil || seen.generation != generation || seen.value.Type == value.Type {
				*seen = kindSeen{generation: generation, value: value}
			}
			*which(rolling) = seen.value
		})
	})
}
