package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// DrainWaits is DRAIN-003. A pod that has ended holds nothing any more, whether or not its object is gone (DRAIN-007).
func DrainWaits() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-003",
		Kind:        judge.Prohibition,
		Promise:     "without maxSurge a pod is replaced only once it has ended",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  replacing(),
		New:         func(history.Header) judge.Observer { return &drainWaits{left: map[*judge.Node]bool{}} },
	}
}

type drainWaits struct {
	judge.Exercise
	// left are the nodes on which a pod has been terminating.
	left map[*judge.Node]bool
}

// Observe implements judge.Observer.
func (o *drainWaits) Observe(s *judge.Scene) []judge.Violation {
	if s.Removed != nil {
		o.left[s.Removed.Pod.Node] = true
	}
	if s.Created == nil {
		return nil
	}
	pod, w := s.Created.Pod, s.Created.Pod.Workload
	if _, surging := w.Largest(s.Now, judge.SurgeLimit); surging || !o.left[pod.Node] {
		return nil
	}
	o.PutToTest()
	other := leaving(pod.Node)
	if other == nil {
		return nil
	}
	return s.OnNode(w, pod.Node, fmt.Sprintf("%s created beside %s, which is terminating", pod.Object.Name, other.Object.Name))
}
