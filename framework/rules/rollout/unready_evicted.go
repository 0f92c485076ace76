package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// UnreadyEvicted is UNREADY-003.
func UnreadyEvicted() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-003",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is evicted during a rollout promptly has an updated one beside it, while it terminates",
		Needs:       everything(),
		Situations:  and(despiteTheLimit(), situation.SeveralLeaving()),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			return !s.Cluster.IsUpdated(pod.Object) && hitBy(s, pod, history.EvictPod)
		})),
	}
}
