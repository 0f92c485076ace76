package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeBound is SURGE-002. It is decided whenever the implementation creates a pod that takes something of maxSurge: only then can
// the number rise by its doing. Creating a pod because the old one is not available takes nothing; once the old one has recovered, its node counts for what is
// created elsewhere.
func SurgeBound() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-002",
		Kind:        judge.Prohibition,
		Promise:     "at no instant do more than maxSurge nodes have an available old pod and an updated pod that is not yet available",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  surging(),
		New:         func(history.Header) judge.Observer { return &surgeBound{} },
	}
}

type surgeBound struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *surgeBound) Observe(s *judge.Scene) []judge.Violation {
	if !s.TakesSurge() {
		return nil
	}
	o.PutToTest()
	nodes, limit, over := s.OverSurge()
	if !over {
		return nil
	}
	var others []*judge.Pod
	for _, node := range nodes {
		if node != s.Created.Pod.Node {
			others = append(others, node.Everyone()...)
		}
	}
	got := fmt.Sprintf("%d nodes surging (%s), maxSurge being %d", len(nodes), judge.NodeNames(nodes), limit)
	return s.OnNode(s.Created.Pod.Workload, s.Created.Pod.Node, got, others...)
}
