package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeLastAvailable is SURGE-016. It holds for pods of any revision, whether or not a rollout is under way.
func SurgeLastAvailable() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-016",
		Kind:        judge.Prohibition,
		Promise:     "with maxUnavailable 0 the only available pod of an eligible node is never deleted voluntarily",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  and(handingOff(), situation.OnRelapsed()),
		New:         func(history.Header) judge.Observer { return &surgeLastAvailable{} },
	}
}

type surgeLastAvailable struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *surgeLastAvailable) Observe(s *judge.Scene) []judge.Violation {
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Wanted || !s.ZeroDowntime(removed.Pod.Workload) {
		return nil
	}
	o.PutToTest()
	if !removed.Alone {
		return nil
	}
	pod := removed.Pod
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s deleted, the node's only available pod", pod.Object.Name))
}
