package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeHandOff is SURGE-006, for maxUnavailable 0. An old pod that is not available may go at any time (SURGE-022), and so may one of two
// old ones while the other is available.
//
// No tolerance: what was received before an instant happened before it, and transition times are rounded down.
func SurgeHandOff() Judge {
	return Judge{
		Requirement: "SURGE-006",
		Promise:     "with maxSurge an old pod is deleted only after the updated pod on its node has been Ready for minReadySeconds",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New:         func(history.Header) Observer { return &surgeHandOff{} },
	}
}

type surgeHandOff struct{ exercised }

// Observe implements Observer.
func (o *surgeHandOff) Observe(s *Scene) []Violation {
	removed := s.removed
	if removed == nil || !removed.voluntary || !removed.steady || !removed.wanted {
		return nil
	}
	pod := removed.pod
	if !s.zeroDowntime(pod.workload) || s.Cluster.IsUpdated(pod.object) {
		return nil
	}
	o.yes = true
	if !removed.alone {
		return nil
	}
	got := "no updated pod beside it"
	for _, other := range pod.node.everyone() {
		if other != pod && s.Cluster.IsUpdated(other.object) {
			got = fmt.Sprintf("updated pod %s %s", other.object.Name, s.condition(pod.workload, other, other.object))
		}
	}
	return s.onNode(pod.workload, pod.node, fmt.Sprintf("available old pod %s deleted, %s", pod.object.Name, got))
}
