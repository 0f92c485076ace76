package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// DrainEvicted is DRAIN-006.
func DrainEvicted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-006",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge a pod of a cordoned node that is evicted promptly has its replacement beside it, while it terminates",
		Needs:       everything(),
		Situations:  and(eitherWay(), situation.SurgeUsedUp(), situation.UpdatedLeavingElsewhere()),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			node := s.Cluster.Nodes[pod.Node.Name]
			return node != nil && node.Spec.Unschedulable && hitBy(s, pod, history.EvictPod)
		})),
	}
}
