package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeHandOff is SURGE-006, for maxUnavailable 0. An old pod that is not available may go at any time (SURGE-022), and so may one of two
// old ones while the other is available.
//
// No tolerance: what was received before an instant happened before it, and transition times are rounded down.
func SurgeHandOff() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-006",
		Kind:        judge.Prohibition,
		Promise:     "with maxSurge an old pod is deleted only after the updated pod on its node has been Ready for minReadySeconds",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  and(handingOff(), situation.OnRelapsed()),
		New:         func(history.Header) judge.Observer { return &surgeHandOff{} },
	}
}

type surgeHandOff struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *surgeHandOff) Observe(s *judge.Scene) []judge.Violation {
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Wanted {
		return nil
	}
	pod := removed.Pod
	if !s.ZeroDowntime(pod.Workload) || s.Cluster.IsUpdated(pod.Object) {
		return nil
	}
	o.PutToTest()
	if !removed.Alone {
		return nil
	}
	got := "no updated pod beside it"
	for _, other := range pod.Node.Everyone() {
		if other != pod && s.Cluster.IsUpdated(other.Object) {
			got = fmt.Sprintf("updated pod %s %s", other.Object.Name, s.Condition(pod.Workload, other, other.Object))
		}
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("available old pod %s deleted, %s", pod.Object.Name, got))
}
