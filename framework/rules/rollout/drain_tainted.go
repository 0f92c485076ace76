package rollout

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// DrainTainted is DRAIN-008, as far as the pod has to go; that none is created is TARGET-001. An old pod that tolerates the taint itself may stay.
func DrainTainted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-008",
		Kind:        judge.Obligation,
		Promise:     "a node with a NoExecute taint that the pods do not tolerate promptly loses its daemon pod",
		Needs:       everything(),
		Situations:  slices.Concat(strategies(), eitherWay()),
		New: judge.DueOnNodes(evicted(func(w *judge.Workload, node *corev1.Node, pod *corev1.Pod) bool {
			return fits(w, node) && !history.Endures(pod, node)
		}, "whose taint is not tolerated")),
	}
}
