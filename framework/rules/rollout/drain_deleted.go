package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// DrainDeleted is DRAIN-002.
func DrainDeleted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-002",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge a pod that is deleted promptly has its replacement beside it, while it terminates",
		Needs:       everything(),
		Situations:  and(eitherWay(), situation.SurgeUsedUp(), situation.OnCordoned(), situation.UpdatedLeavingElsewhere()),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			return s.Cluster.IsUpdated(pod.Object) && hitBy(s, pod, history.DeletePod)
		})),
	}
}
