package rollout

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// AvailableUndated is AVAIL-006. Its requirement is an extended one: what it explains breaks no other rule.
func AvailableUndated() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-006",
		Kind:        judge.Prohibition,
		Promise:     "with minReadySeconds an available pod is not deleted for one that is Ready since no known time",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  course(),
		New:         func(history.Header) judge.Observer { return &availableUndated{} },
	}
}

type availableUndated struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *availableUndated) Observe(s *judge.Scene) []judge.Violation {
	for _, n := range s.TouchedNodes() {
		for _, pod := range n.Pods {
			if pod.Undated(pod.Workload.Settings.MinReady) {
				// The implementation sees one, and must leave the pod beside it alone.
				o.PutToTest()
			}
		}
	}
	if violations := beyondUndated(s); violations != nil {
		return violations
	}
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Wanted || !s.ZeroDowntime(removed.Pod.Workload) {
		return nil
	}
	pod := removed.Pod
	low, _ := pod.Workload.MinReady(s.Now)
	others := slices.DeleteFunc(slices.Clone(pod.Node.Pods), func(other *judge.Pod) bool { return other == pod })
	if slices.ContainsFunc(others, func(other *judge.Pod) bool { return other.Available(low, s.Now) }) {
		return nil
	}
	for _, other := range others {
		if other.Undated(low) && !other.LatelyAvailable(low, s.Now) {
			got := fmt.Sprintf("%s deleted beside %s, which is Ready since no known time", pod.Object.Name, other.Object.Name)
			return s.OnNode(pod.Workload, pod.Node, got)
		}
	}
	return nil
}

// beyondUndated reports that an available pod was deleted, and that maxUnavailable allows that only to who counts the undated ones of other nodes.
func beyondUndated(s *judge.Scene) []judge.Violation {
	limit, bounded := s.SpendsUnavailable()
	if !bounded {
		return nil
	}
	pod := s.Removed.Pod
	without, undated := len(s.Unserved(pod.Workload)), s.ServedUndated(pod.Workload)
	if len(undated) == 0 || without > limit || without+len(undated) <= limit {
		return nil
	}
	got := fmt.Sprintf("%s deleted, so that nodes without an available pod are %d, and those whose pod is Ready since no known time %d (%s), maxUnavailable being %d",
		pod.Object.Name, without, len(undated), judge.NodeNames(undated), limit)
	return s.OnNode(pod.Workload, pod.Node, got)
}
