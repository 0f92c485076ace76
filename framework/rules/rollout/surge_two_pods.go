package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeTwoPods is SURGE-009. A change of template may leave two old pods on a node; what is judged is the Creation that makes it one too many.
func SurgeTwoPods() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-009",
		Kind:        judge.Prohibition,
		Promise:     "with maxSurge a node has at most two pods that are not terminating, one old and one updated",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  beside(),
		New:         func(history.Header) judge.Observer { return &surgeTwoPods{} },
	}
}

type surgeTwoPods struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *surgeTwoPods) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil || len(s.Created.Beside) == 0 {
		return nil
	}
	pod, w := s.Created.Pod, s.Created.Pod.Workload
	if _, surging := w.Largest(s.Now, judge.SurgeLimit); !surging {
		return nil
	}
	o.PutToTest()
	if live := len(s.Created.Beside) + 1; live > 2 {
		return s.OnNode(w, pod.Node, fmt.Sprintf("%d live pods once %s was created", live, pod.Object.Name))
	}
	beside := s.Created.Beside[0]
	revision, other := s.Cluster.RevisionOf(pod.Object), s.Cluster.RevisionOf(beside.Object)
	known := revision == history.NoRevision || other == history.NoRevision || revision == other
	if known || s.InForce(w, revision) || s.InForce(w, other) {
		return nil
	}
	return s.OnNode(w, pod.Node, fmt.Sprintf("two old pods, %s being created beside %s", pod.Object.Name, beside.Object.Name))
}
