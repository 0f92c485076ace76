package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeTwoPods is SURGE-009. A change of template may leave two old pods on a node; what is judged is the creation that makes it one too many.
func SurgeTwoPods() Judge {
	return Judge{
		Requirement: "SURGE-009",
		Promise:     "with maxSurge a node has at most two pods that are not terminating, one old and one updated",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		New:         func(history.Header) Observer { return &surgeTwoPods{} },
	}
}

type surgeTwoPods struct{ exercised }

// Observe implements Observer.
func (o *surgeTwoPods) Observe(s *Scene) []Violation {
	if s.created == nil || len(s.created.beside) == 0 {
		return nil
	}
	pod, w := s.created.pod, s.created.pod.workload
	if _, surging := w.largest(s.Now, surgeLimit); !surging {
		return nil
	}
	o.yes = true
	if live := len(s.created.beside) + 1; live > 2 {
		return s.onNode(w, pod.node, fmt.Sprintf("%d live pods once %s was created", live, pod.object.Name))
	}
	beside := s.created.beside[0]
	revision, other := s.Cluster.RevisionOf(pod.object), s.Cluster.RevisionOf(beside.object)
	known := revision == history.NoRevision || other == history.NoRevision || revision == other
	if known || s.inForce(w, revision) || s.inForce(w, other) {
		return nil
	}
	return s.onNode(w, pod.node, fmt.Sprintf("two old pods, %s being created beside %s", pod.object.Name, beside.object.Name))
}

// inForce tells whether the revision is, or was until less than Lag ago, the DaemonSet's.
func (s *Scene) inForce(w *workload, revision int) bool {
	return !w.always(s.Now, func(s settings) bool { return s.template != revision })
}
