package rollout

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// TargetLabels is TARGET-002: every node that should run the pod gets one, with maxSurge also beside the one that it had to give up before, and one that is not
// selected any more loses its pod.
func TargetLabels() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-002",
		Kind:        judge.Obligation,
		Promise:     "a node that is selected promptly gets a daemon pod, and one that is not any more promptly loses it",
		Needs:       everything(),
		Situations:  and(slices.Concat(strategies(), eitherWay()), situation.Restarted(), situation.SeveralEmpty()),
		New: judge.Both(
			judge.Both(
				judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
					if !n.Eligible || n.Served || w.Settings.ZeroDowntime() || s.OrphanLeaving(w, n) {
						return judge.Due{}, false
					}
					return creation(n, "empty", "no pod created on the node, which is eligible and has never had one,"), true
				}),
				judge.DueOnNodes(besideLeaving(func(_ *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool { return givenUp(pod) })),
			),
			judge.DueOnNodes(evicted(func(w *judge.Workload, node *corev1.Node, _ *corev1.Pod) bool { return !fits(w, node) }, "which the selector or the affinity excludes")),
		),
	}
}

// givenUp reports whether the node became eligible only after somebody had deleted the pod, by more than the second to which that time is rounded.
func givenUp(pod *judge.Pod) bool {
	grace := pod.Object.DeletionGracePeriodSeconds
	if grace == nil {
		return false
	}
	deleted := pod.Object.DeletionTimestamp.Add(-time.Duration(*grace) * time.Second)
	return pod.Node.Since.Sub(deleted) > time.Second
}
