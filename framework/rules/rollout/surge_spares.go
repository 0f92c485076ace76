package rollout

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeSpares is SURGE-017, as far as available old pods stay on nodes that should not run the DaemonSet any more but may keep what they have. It counts
// pods, every one that the implementation may take for available, and desired are the nodes that it must take for eligible.
func SurgeSpares() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-017",
		Kind:        judge.Prohibition,
		Promise:     "with maxSurge an available old pod is deleted from a node that is not eligible any more only while more pods are available than are desired",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Restarted()},
		New:         func(history.Header) judge.Observer { return &surgeSpares{repelled: map[*judge.Node]time.Time{}} },
	}
}

type surgeSpares struct {
	judge.Exercise
	// repelled are the nodes that had to give up their pods, with when they no longer had to; zero while they still have to.
	repelled map[*judge.Node]time.Time
}

// Observe implements judge.Observer.
func (o *surgeSpares) Observe(s *judge.Scene) []judge.Violation {
	for _, n := range s.TouchedNodes() {
		repelled, was := o.repelled[n]
		switch {
		case !n.Stays:
			o.repelled[n] = time.Time{}
		case was && repelled.IsZero():
			o.repelled[n] = s.Now
		}
	}
	removed := s.Removed
	if removed == nil || !removed.Voluntary || !removed.Steady || !removed.Alone || s.Cluster.IsUpdated(removed.Pod.Object) {
		return nil
	}
	pod, w := removed.Pod, removed.Pod.Workload
	repelled, was := o.repelled[pod.Node]
	if pod.Node.Eligible || !pod.Node.Stays || was && s.Lately(repelled) || !s.ZeroDowntime(w) {
		return nil
	}
	o.PutToTest()
	// The pod itself was available.
	available, desired := 1, 0
	low, _ := w.MinReady(s.Now)
	for _, n := range w.Nodes {
		if n.Wanted(s.Now) {
			desired++
		}
		for _, other := range n.Everyone() {
			if other != pod && other.Believable(low, s.Now) {
				available++
			}
		}
	}
	if available > desired {
		return nil
	}
	return s.OnNode(w, pod.Node, fmt.Sprintf("available old pod %s deleted with %d available pods for %d eligible nodes", pod.Object.Name, available, desired))
}
