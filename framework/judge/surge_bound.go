package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeBound is SURGE-002. It is decided whenever the implementation creates a pod that takes something of maxSurge: only then can
// the number rise by its doing. A pod created because the old one was not available takes nothing, also after the old one recovered.
func SurgeBound() Judge {
	return Judge{
		Requirement: "SURGE-002",
		Promise:     "at no instant do more than maxSurge nodes have an available old pod and an updated pod that is not yet available",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New:         func(history.Header) Observer { return &surgeBound{} },
	}
}

type surgeBound struct{ exercised }

// Observe implements Observer.
func (o *surgeBound) Observe(s *Scene) []Violation {
	if !s.takesSurge() {
		return nil
	}
	o.yes = true
	nodes, limit, over := s.overSurge(nil)
	if !over {
		return nil
	}
	var others []*podState
	for _, node := range nodes {
		if node != s.created.pod.node {
			others = append(others, node.everyone()...)
		}
	}
	got := fmt.Sprintf("%d nodes surging (%s), maxSurge being %d", len(nodes), nodeNames(nodes), limit)
	return s.onNode(s.created.pod.workload, s.created.pod.node, got, others...)
}
