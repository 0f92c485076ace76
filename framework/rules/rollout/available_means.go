package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// AvailableMeans is AVAIL-001, where an act cannot mean anything else: the only available pod of a node goes while an updated one is beside it, so either
// the updated one was taken for available, or the old one was not. Where another old pod is there too, it may have gone as one too many. Which pods an implementation counted when it passed a limit over several nodes
// nobody can know; that is SURGE-002 and ROLLING-002 alone.
func AvailableMeans() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-001",
		Kind:        judge.Prohibition,
		Promise:     "every decision takes a pod for available only if it is not terminating and has been Ready for minReadySeconds",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  and(handingOff(), situation.OnRelapsed()),
		New:         func(history.Header) judge.Observer { return &availableMeans{} },
	}
}

type availableMeans struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *availableMeans) Observe(s *judge.Scene) []judge.Violation {
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Wanted || !s.ZeroDowntime(removed.Pod.Workload) {
		return nil
	}
	pod := removed.Pod
	for _, other := range pod.Node.Pods {
		if other != pod && !s.Cluster.IsUpdated(other.Object) && other.Object.DeletionTimestamp == nil && !history.IsTerminal(other.Object) {
			return nil
		}
	}
	for _, other := range pod.Node.Pods {
		if other == pod || !s.Cluster.IsUpdated(other.Object) || history.IsTerminal(other.Object) {
			continue
		}
		o.PutToTest()
		if removed.Alone {
			got := fmt.Sprintf("%s deleted beside %s, %s", pod.Object.Name, other.Object.Name, s.Condition(pod.Workload, other, other.Object))
			return s.OnNode(pod.Workload, pod.Node, got)
		}
	}
	return nil
}
