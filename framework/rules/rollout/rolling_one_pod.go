package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// RollingOnePod is ROLLING-013, for maxSurge 0 and for OnDelete. Two pods left by a switch of strategy are no violation; creating another
// beside a live one is, and so is keeping both.
func RollingOnePod() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLING-013",
		Kind:        judge.Prohibition,
		Promise:     "without maxSurge a node has at most one pod that is not terminating",
		Needs:       everything(),
		Situations:  replacing(),
		New: judge.Both(func(history.Header) judge.Observer {
			return &rollingOnePod{served: map[*judge.Node]bool{}}
		}, judge.DueOnNodes(rollingDuplicate)),
	}
}

type rollingOnePod struct {
	judge.Exercise
	// served are the nodes that had a pod before: creating the first one puts nothing to the test.
	served map[*judge.Node]bool
}

// Observe implements judge.Observer.
func (o *rollingOnePod) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	pod, w := s.Created.Pod, s.Created.Pod.Workload
	replaces := o.served[pod.Node] || len(pod.Node.Everyone()) > 1
	o.served[pod.Node] = true
	if _, surging := w.Largest(s.Now, judge.SurgeLimit); surging || !replaces {
		return nil
	}
	o.PutToTest()
	if len(s.Created.Beside) == 0 {
		return nil
	}
	return s.OnNode(w, pod.Node, fmt.Sprintf("%s created beside live pod %s", pod.Object.Name, s.Created.Beside[0].Object.Name))
}
