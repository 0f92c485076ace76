package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// RollingOnePod is ROLLING-013, for maxSurge 0 and for OnDelete. Two pods left by a switch of strategy are no violation; creating another
// beside a live one is.
func RollingOnePod() Judge {
	return Judge{
		Requirement: "ROLLING-013",
		Promise:     "without maxSurge a node has at most one pod that is not terminating",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		New: func(history.Header) Observer {
			return &rollingOnePod{served: map[*nodeState]bool{}}
		},
	}
}

type rollingOnePod struct {
	exercised
	// served are the nodes that had a pod before: creating the first one puts nothing to the test.
	served map[*nodeState]bool
}

// Observe implements Observer.
func (o *rollingOnePod) Observe(s *Scene) []Violation {
	if s.created == nil {
		return nil
	}
	pod, w := s.created.pod, s.created.pod.workload
	replaces := o.served[pod.node] || len(pod.node.everyone()) > 1
	o.served[pod.node] = true
	if _, surging := w.largest(s.Now, surgeLimit); surging || !replaces {
		return nil
	}
	o.yes = true
	if len(s.created.beside) == 0 {
		return nil
	}
	return s.onNode(w, pod.node, fmt.Sprintf("%s created beside live pod %s", pod.object.Name, s.created.beside[0].object.Name))
}
