package judge

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// AvailableMeans is AVAIL-001. It speaks up where an act breaks a limit and would not, had the implementation taken for available an updated pod
// that is terminating, or not Ready, or not Ready for long enough. So it names the cause where SURGE-002, -006 or ROLLING-002 name the effect.
func AvailableMeans() Judge {
	return Judge{
		Requirement: "AVAIL-001",
		Promise:     "every decision takes a pod for available only if it is not terminating and has been Ready for minReadySeconds",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New:         func(history.Header) Observer { return &availableMeans{} },
	}
}

type availableMeans struct{ exercised }

// Observe implements Observer.
func (o *availableMeans) Observe(s *Scene) []Violation {
	if s.takesSurge() {
		return o.creation(s)
	}
	removed := s.removed
	if removed == nil || !removed.voluntary || !removed.steady || !removed.wanted {
		return nil
	}
	if limit, bounded := removed.pod.workload.largest(s.Now, unavailableLimit); bounded {
		return o.yielding(s, limit)
	}
	if s.zeroDowntime(removed.pod.workload) {
		return o.handOff(s)
	}
	return nil
}

// creation: the next node surges while the updated pod on another is Ready, but not available.
func (o *availableMeans) creation(s *Scene) []Violation {
	o.yes = true
	nodes, limit, over := s.overSurge(nil)
	if !over {
		return nil
	}
	if _, _, still := s.overSurge(isReady); still {
		return nil
	}
	pod := s.created.pod
	for _, node := range nodes {
		for _, young := range node.livePods(pod) {
			if s.Cluster.IsUpdated(young.object) && isReady(young) {
				got := fmt.Sprintf("%s created on the strength of %s, %s, maxSurge being %d", pod.object.Name, young.object.Name,
					s.condition(pod.workload, young, young.object), limit)
				return s.onNode(pod.workload, pod.node, got, young)
			}
		}
	}
	return nil
}

// handOff: the only available pod goes for an updated one that is not available.
func (o *availableMeans) handOff(s *Scene) []Violation {
	pod := s.removed.pod
	for _, other := range pod.node.pods {
		if other == pod || !s.Cluster.IsUpdated(other.object) || history.IsTerminal(other.object) {
			continue
		}
		o.yes = true
		if s.removed.alone {
			got := fmt.Sprintf("%s deleted on the strength of %s, %s", pod.object.Name, other.object.Name, s.condition(pod.workload, other, other.object))
			return s.onNode(pod.workload, pod.node, got)
		}
	}
	return nil
}

// yielding: maxUnavailable is spent on the strength of an updated pod elsewhere that is not available.
func (o *availableMeans) yielding(s *Scene, limit int) []Violation {
	if !s.removed.alone {
		return nil
	}
	o.yes = true
	pod := s.removed.pod
	nodes := s.memory.unserved(pod.workload, s.Now, nil)
	ready := func(other *podState) bool { return other != pod && s.Cluster.IsUpdated(other.object) && isReady(other) }
	if len(nodes) <= limit || len(s.memory.unserved(pod.workload, s.Now, ready)) > limit {
		return nil
	}
	for _, node := range nodes {
		if i := slices.IndexFunc(node.pods, ready); i >= 0 {
			young := node.pods[i]
			got := fmt.Sprintf("%s deleted on the strength of %s, %s, maxUnavailable being %d", pod.object.Name, young.object.Name,
				s.condition(pod.workload, young, young.object), limit)
			return s.onNode(pod.workload, pod.node, got, node.everyone()...)
		}
	}
	return nil
}
