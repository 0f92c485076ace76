package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeLastAvailable is SURGE-016. It holds for pods of any revision, whether or not a rollout is under way.
func SurgeLastAvailable() Judge {
	return Judge{
		Requirement: "SURGE-016",
		Promise:     "with maxUnavailable 0 the only available pod of an eligible node is never deleted voluntarily",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New:         func(history.Header) Observer { return &surgeLastAvailable{} },
	}
}

type surgeLastAvailable struct{ exercised }

// Observe implements Observer.
func (o *surgeLastAvailable) Observe(s *Scene) []Violation {
	removed := s.removed
	if removed == nil || !removed.voluntary || !removed.steady || !removed.wanted || !s.zeroDowntime(removed.pod.workload) {
		return nil
	}
	o.yes = true
	if !removed.alone {
		return nil
	}
	pod := removed.pod
	return s.onNode(pod.workload, pod.node, fmt.Sprintf("%s deleted, the node's only available pod", pod.object.Name))
}
