package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// RollingFloor is ROLLING-002, percentages being rounded up. It is decided whenever the implementation deletes the only available pod of an
// eligible node. Replacing pods that are not available is free of it (ROLLING-008). With both limits set it decides too: a node may then
// go without a pod within maxUnavailable.
func RollingFloor() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLING-002",
		Kind:        judge.Prohibition,
		Promise:     "an available pod is deleted only while no more than maxUnavailable eligible nodes are then without one",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  yielding(),
		New:         func(history.Header) judge.Observer { return &rollingFloor{} },
	}
}

type rollingFloor struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *rollingFloor) Observe(s *judge.Scene) []judge.Violation {
	limit, bounded := s.SpendsUnavailable()
	if !bounded {
		return nil
	}
	o.PutToTest()
	pod := s.Removed.Pod
	nodes := s.Unserved(pod.Workload)
	if len(nodes) <= limit {
		return nil
	}
	var others []*judge.Pod
	for _, node := range nodes {
		if node != pod.Node {
			others = append(others, node.Everyone()...)
		}
	}
	got := fmt.Sprintf("%d nodes without an available pod (%s), maxUnavailable being %d", len(nodes), judge.NodeNames(nodes), limit)
	return s.OnNode(pod.Workload, pod.Node, got, others...)
}
