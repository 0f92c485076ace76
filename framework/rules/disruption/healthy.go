package disruption

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Terminating is PDB-009.
func Terminating() judge.Rule {
	return unhealthy("PDB-009", "a terminating pod promptly no longer counts as healthy", func(_ *budget, pod *corev1.Pod) bool {
		return pod.DeletionTimestamp != nil && history.IsReady(pod)
	})
}

// Unready is PDB-010.
func Unready() judge.Rule {
	return unhealthy("PDB-010", "a pod that is not Ready promptly no longer counts as healthy", func(_ *budget, pod *corev1.Pod) bool {
		return history.IsLive(pod) && !history.SaysReady(pod)
	})
}

// Disrupted is PDB-013.
func Disrupted() judge.Rule {
	return unhealthy("PDB-013", "a pod that is listed in disruptedPods promptly no longer counts as healthy", func(b *budget, pod *corev1.Pod) bool {
		_, listed := b.object.Status.DisruptedPods[pod.Name]
		return listed && history.IsLive(pod) && history.IsReady(pod)
	})
}

// unhealthy is the rule that such pods do not count as healthy.
func unhealthy(id requirements.ID, promise string, counts func(*budget, *corev1.Pod) bool) judge.Rule {
	return follows(id, promise, field{
		applies: func(b *budget) bool {
			return b.alone() && slices.ContainsFunc(b.Pods, func(pod *corev1.Pod) bool { return counts(b, pod) })
		},
		wrong: func(b *budget) string {
			if got := b.object.Status.CurrentHealthy; slices.ContainsFunc(b.Tallies, func(t history.Tally) bool { return got <= t.Healthy }) {
				return ""
			}
			return b.differs("currentHealthy", healthy)
		},
	})
}
