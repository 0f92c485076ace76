package judge

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeZeroDowntime is SURGE-008, from a change of template until every eligible node has an available updated pod and no live old one. A node that
// something else than the implementation hit, a lever or a failure of its own, is out of the promise for the rest of the rollout.
func SurgeZeroDowntime() Judge {
	return Judge{
		Requirement: "SURGE-008",
		Promise:     "a node that had an available pod when a surge rollout began has one at every instant until it is over, unless something fails",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New: func(history.Header) Observer {
			return &surgeZeroDowntime{rollouts: map[*workload]*rollout{}}
		},
	}
}

type surgeZeroDowntime struct {
	exercised
	rollouts map[*workload]*rollout
}

// rollout is one in progress: the nodes that the promise is about, and those that are not through yet.
type rollout struct {
	protected map[*nodeState]bool
	pending   map[*nodeState]bool
}

// Observe implements Observer.
func (o *surgeZeroDowntime) Observe(s *Scene) []Violation {
	if s.rolled != nil {
		o.begin(s)
		return nil
	}
	if len(o.rollouts) == 0 {
		return nil
	}
	if s.Change.Stimulus != nil {
		o.excuse(s)
		return nil
	}
	violations := o.removal(s)
	if s.lost != nil {
		for _, rollout := range o.rollouts {
			delete(rollout.protected, s.lost)
		}
	}
	o.progress(s)
	return violations
}

func (o *surgeZeroDowntime) begin(s *Scene) {
	w := s.rolled
	delete(o.rollouts, w)
	if !w.settings.zeroDowntime() {
		return
	}
	begun := &rollout{protected: map[*nodeState]bool{}, pending: map[*nodeState]bool{}}
	low, _ := w.minReady(s.Now)
	for _, node := range w.nodes {
		if !node.eligible {
			continue
		}
		begun.pending[node] = true
		for _, pod := range node.pods {
			if pod.available(low, s.Now) {
				begun.protected[node] = true
			}
		}
	}
	o.rollouts[w] = begun
}

func (o *surgeZeroDowntime) excuse(s *Scene) {
	stimulus := s.Change.Stimulus
	if !stimulus.Act.Disturbs() || stimulus.Kind != history.KindPod && stimulus.Kind != history.KindNode {
		return
	}
	node := stimulus.Node
	if stimulus.Kind == history.KindNode && node == "" {
		node = stimulus.Name
	}
	pod := s.memory.pods[stimulus.UID]
	for w, rollout := range o.rollouts {
		switch {
		case pod != nil && pod.workload == w:
			delete(rollout.protected, pod.node)
		case pod == nil:
			delete(rollout.protected, w.nodes[node])
		}
	}
}

func (o *surgeZeroDowntime) removal(s *Scene) []Violation {
	removed := s.removed
	if removed == nil || !removed.voluntary || !removed.steady || !removed.wanted {
		return nil
	}
	pod := removed.pod
	rollout := o.rollouts[pod.workload]
	if rollout == nil || !rollout.protected[pod.node] || !s.zeroDowntime(pod.workload) {
		return nil
	}
	o.yes = true
	if !removed.alone {
		return nil
	}
	delete(rollout.protected, pod.node)
	return s.onNode(pod.workload, pod.node, fmt.Sprintf("no available pod once %s was deleted", pod.object.Name))
}

func (o *surgeZeroDowntime) progress(s *Scene) {
	for w, rollout := range o.rollouts {
		switch s.Change.Kind {
		case history.KindPod:
			pod, ok := s.Change.Object.(*corev1.Pod)
			if !ok {
				continue
			}
			node := w.nodes[history.NodeOf(pod)]
			if !rollout.pending[node] || !s.through(w, node) {
				continue
			}
			delete(rollout.pending, node)
		case history.KindNode:
			node := w.nodes[s.Change.Object.GetName()]
			if node == nil || node.eligible {
				continue
			}
			delete(rollout.pending, node)
			delete(rollout.protected, node)
		case history.KindDaemonSet:
			if s.Cluster.DaemonSets[w.object.UID] != nil {
				continue
			}
			clear(rollout.pending)
		}
		if len(rollout.pending) == 0 {
			delete(o.rollouts, w)
		}
	}
}

// through tells whether the node has an available updated pod and no live old one.
func (s *Scene) through(w *workload, node *nodeState) bool {
	_, high := w.minReady(s.Now)
	served := false
	for _, pod := range node.livePods(nil) {
		if !s.Cluster.IsUpdated(pod.object) {
			return false
		}
		served = served || pod.available(high, s.Now)
	}
	return served
}
