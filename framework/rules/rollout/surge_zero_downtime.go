package rollout

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeZeroDowntime is SURGE-008, from a change of template until every eligible node has an available updated pod and no live old one. A node that
// something else than the implementation hit, a lever or a failure of its own, is out of the promise for the rest of the rollout.
func SurgeZeroDowntime() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-008",
		Kind:        judge.Prohibition,
		Promise:     "a node that had an available pod when a surge rollout began has one at every instant until it is over, unless something fails",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  handingOff(),
		New: func(history.Header) judge.Observer {
			return &surgeZeroDowntime{rollouts: map[*judge.Workload]*rollout{}}
		},
	}
}

type surgeZeroDowntime struct {
	judge.Exercise
	rollouts map[*judge.Workload]*rollout
}

// rollout is one in progress: the nodes that the promise is about, and those that are not through yet.
type rollout struct {
	protected map[*judge.Node]bool
	pending   map[*judge.Node]bool
}

// Observe implements judge.Observer.
func (o *surgeZeroDowntime) Observe(s *judge.Scene) []judge.Violation {
	if s.Rolled != nil {
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
	if s.Lost != nil {
		for _, rollout := range o.rollouts {
			delete(rollout.protected, s.Lost)
		}
	}
	o.progress(s)
	return violations
}

func (o *surgeZeroDowntime) begin(s *judge.Scene) {
	w := s.Rolled
	delete(o.rollouts, w)
	if !w.Settings.ZeroDowntime() {
		return
	}
	begun := &rollout{protected: map[*judge.Node]bool{}, pending: map[*judge.Node]bool{}}
	low, _ := w.MinReady(s.Now)
	for _, node := range w.Nodes {
		if !node.Eligible {
			continue
		}
		begun.pending[node] = true
		for _, pod := range node.Pods {
			if pod.Available(low, s.Now) {
				begun.protected[node] = true
			}
		}
	}
	o.rollouts[w] = begun
}

func (o *surgeZeroDowntime) excuse(s *judge.Scene) {
	stimulus := s.Change.Stimulus
	if !stimulus.Act.Disturbs() || stimulus.Kind != history.KindPod && stimulus.Kind != history.KindNode {
		return
	}
	node := stimulus.Node
	if stimulus.Kind == history.KindNode && node == "" {
		node = stimulus.Name
	}
	pod := s.Pod(stimulus.UID)
	for w, rollout := range o.rollouts {
		switch {
		case pod != nil && pod.Workload == w:
			delete(rollout.protected, pod.Node)
		case pod == nil:
			delete(rollout.protected, w.Nodes[node])
		}
	}
}

func (o *surgeZeroDowntime) removal(s *judge.Scene) []judge.Violation {
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Wanted {
		return nil
	}
	pod := removed.Pod
	rollout := o.rollouts[pod.Workload]
	if rollout == nil || !rollout.protected[pod.Node] || !s.ZeroDowntime(pod.Workload) {
		return nil
	}
	o.PutToTest()
	if !removed.Alone {
		return nil
	}
	delete(rollout.protected, pod.Node)
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("no available pod once %s was deleted", pod.Object.Name))
}

func (o *surgeZeroDowntime) progress(s *judge.Scene) {
	for w, rollout := range o.rollouts {
		switch s.Change.Kind {
		case history.KindPod:
			pod, ok := s.Change.Object.(*corev1.Pod)
			if !ok {
				continue
			}
			node := w.Nodes[history.NodeOf(pod)]
			if !rollout.pending[node] || !s.Through(w, node) {
				continue
			}
			delete(rollout.pending, node)
		case history.KindNode:
			node := w.Nodes[s.Change.Object.GetName()]
			if node == nil || node.Eligible {
				continue
			}
			delete(rollout.pending, node)
			delete(rollout.protected, node)
		case history.KindDaemonSet:
			if s.Cluster.DaemonSets[w.Object.UID] != nil {
				continue
			}
			clear(rollout.pending)
		}
		if len(rollout.pending) == 0 {
			delete(o.rollouts, w)
		}
	}
}
