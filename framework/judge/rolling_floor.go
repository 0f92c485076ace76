package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// RollingFloor is ROLLING-002, percentages being rounded up. It is decided whenever the implementation deletes the only available pod of an
// eligible node. Replacing pods that are not available is free of it (ROLLING-008). With both limits set it decides too: a node may then
// go without a pod within maxUnavailable.
func RollingFloor() Judge {
	return Judge{
		Requirement: "ROLLING-002",
		Promise:     "an available pod is deleted only while no more than maxUnavailable eligible nodes are then without one",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New:         func(history.Header) Observer { return &rollingFloor{} },
	}
}

type rollingFloor struct{ exercised }

// Observe implements Observer.
func (o *rollingFloor) Observe(s *Scene) []Violation {
	limit, bounded := s.spendsUnavailable()
	if !bounded {
		return nil
	}
	o.yes = true
	pod := s.removed.pod
	nodes := s.memory.unserved(pod.workload, s.Now, nil)
	if len(nodes) <= limit {
		return nil
	}
	var others []*podState
	for _, node := range nodes {
		if node != pod.node {
			others = append(others, node.everyone()...)
		}
	}
	got := fmt.Sprintf("%d nodes without an available pod (%s), maxUnavailable being %d", len(nodes), nodeNames(nodes), limit)
	return s.onNode(pod.workload, pod.node, got, others...)
}
