package judge

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Trait is what a node is like for one DaemonSet, beside what rules decide by: situations are made of it.
type Trait int

// The traits.
const (
	// Cordoned: the node is unschedulable, and eligible.
	Cordoned Trait = iota
	// Closed: the node exists, and is not eligible.
	Closed
	// Down: the node is not Ready, and eligible.
	Down
	// Empty: the node is eligible and has no pod.
	Empty
	// HasOld: it has a live old pod; TwoOld: two or more.
	HasOld
	TwoOld
	// OldUnready: a live old pod is not Ready.
	OldUnready
	// OldLeaving: an old pod is terminating; UpdatedLeaving: an updated one is.
	OldLeaving
	UpdatedLeaving
	// UpdatedUnready: a live updated pod is not Ready; UpdatedReady: one is.
	UpdatedUnready
	UpdatedReady
	// Relapsed: a live updated pod was Ready and stopped being so before its minReadySeconds had run out.
	Relapsed
	// Unknown: the Ready condition of a live pod is Unknown.
	Unknown
	// Ended: a pod of the node has ended, and exists.
	Ended
	// Surging: it has a live old pod and a live updated one.
	Surging

	traits
)

// characterOf returns the node's traits, as a set.
func characterOf(cluster *history.Cluster, n *Node) (character uint32) {
	has := func(trait Trait, holds bool) {
		if holds {
			character |= 1 << trait
		}
	}
	if node := cluster.Nodes[n.Name]; node != nil {
		has(Closed, !n.Eligible)
		has(Cordoned, n.Eligible && node.Spec.Unschedulable)
		has(Down, n.Eligible && !nodeIsReady(node))
	}
	has(Empty, n.Eligible && len(n.Pods) == 0)
	old, updated := 0, 0
	for _, pod := range n.Pods {
		isUpdated := cluster.IsUpdated(pod.Object)
		switch {
		case history.IsTerminal(pod.Object):
			has(Ended, true)
			continue
		case pod.Object.DeletionTimestamp != nil:
			has(UpdatedLeaving, isUpdated)
			has(OldLeaving, !isUpdated)
			continue
		case isUpdated:
			updated++
		default:
			old++
		}
		ready := history.Ready(pod.Object)
		isReady := ready != nil && ready.Status == corev1.ConditionTrue
		has(OldUnready, !isUpdated && !isReady)
		has(UpdatedUnready, isUpdated && !isReady)
		has(UpdatedReady, isUpdated && isReady)
		has(Relapsed, isUpdated && pod.relapsed)
		has(Unknown, ready != nil && ready.Status == corev1.ConditionUnknown)
	}
	has(HasOld, old > 0)
	has(TwoOld, old > 1)
	has(Surging, old > 0 && updated > 0)
	return character
}

// nodeIsReady reports whether the node's Ready condition is True, or it has none.
func nodeIsReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return true
}

// Is reports whether the node has the trait.
func (n *Node) Is(trait Trait) bool { return n.character&(1<<trait) != 0 }

// Having is how many nodes have the trait.
func (w *Workload) Having(trait Trait) int { return w.having[trait] }

// characterize brings the node's traits up to date, and the numbers of nodes that have them.
func (m *memory) characterize(w *Workload, n *Node) {
	before, now := n.character, characterOf(m.cluster, n)
	if before == now {
		return
	}
	n.character = now
	for trait := range traits {
		bit := uint32(1) << trait
		if before&bit != now&bit {
			if now&bit != 0 {
				w.having[trait]++
			} else {
				w.having[trait]--
			}
		}
	}
}

// characterizeTouched does so for all nodes on which the step may have changed something.
func (m *memory) characterizeTouched(scene *Scene) {
	for w, n := range scene.TouchedNodes() {
		m.characterize(w, n)
	}
	if node, ok := scene.Change.Object.(*corev1.Node); ok {
		// Being cordoned or down touches nothing that rules decide by.
		for _, w := range m.workloads {
			if n := w.Nodes[node.Name]; n != nil {
				m.characterize(w, n)
			}
		}
	}
}
