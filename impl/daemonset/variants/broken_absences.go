package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenAbsences ignore what happened while no process ran.
func brokenAbsences() []Variant {
	return []Variant{
		{Name: "after-a-restart-terminating-pods-are-gone", Says: "Ignores pods that were terminating before the process began.",
			Breaks: []string{"DRAIN-003"},
			Planner: sinceStart(func(began func(time.Time) time.Time) Around {
				return seeing(func(state *plan.State, now time.Time) {
					start := began(now)
					withoutPods(state, func(pod *corev1.Pod) bool {
						return pod.DeletionTimestamp != nil && deletedAt(pod).Before(start)
					})
				})
			})},
		{Name: "a-rollback-while-it-is-away-keeps-its-number", Says: "Does not renumber the history of a rollback that was made before the process began.",
			Breaks: []string{"HISTORY-010"}, Planner: remember(keepNumberFound)},
	}
}

// deletedAt is when the deletion of the pod began.
func deletedAt(pod *corev1.Pod) time.Time {
	at := pod.DeletionTimestamp.Time
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		at = at.Add(-time.Duration(*grace) * time.Second)
	}
	return at
}

// templateFound is the template of a DaemonSet in the first pass of the process.
type templateFound struct {
	hash    string
	changed bool
}

func keepNumberFound(m *memory[templateFound]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		found, hash := m.of(state), plan.TemplateHash(&state.DaemonSet.Spec.Template, nil)
		if found.hash == "" {
			found.hash = hash
		}
		found.changed = found.changed || found.hash != hash
		if !found.changed {
			withoutUpdates(actions, func(update plan.RevisionUpdate) bool { return isCurrent(state, update.Revision) })
		}
	})
}
