package simulation

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// nodeActs are what happens to nodes.
func nodeActs() []act {
	return []act{
		{"a node joins", 2, func(w *world, _, _ int) {
			if len(w.api.nodes()) < 9 {
				w.join()
			}
		}},
		{"a node leaves", 1, onNode(history.DeleteNode, func(w *world, node string, _ int) { w.api.remove(history.KindNode, node) })},
		{"a node that left returns", 1, func(w *world, a, _ int) {
			number := a%w.joined + 1
			if name := fmt.Sprintf("node-%d", number); w.api.node(name) == nil {
				w.addNode(name, fmt.Sprintf("pool-%d", number%2))
			}
		}},
		{"a node goes down", 1, onNode(history.TakeDownNode, func(w *world, node string, _ int) { w.kubelets.goDown(node) })},
		{"a node comes up", 2, onNode(history.RestoreNode, func(w *world, node string, _ int) { w.kubelets.resume(node) })},
		{"a node is tainted NoSchedule", 1, onNode(history.TaintNode, func(w *world, node string, _ int) { w.taint(node, taintKey, corev1.TaintEffectNoSchedule) })},
		{"a node is tainted NoExecute", 1, onNode(history.TaintNode, func(w *world, node string, _ int) { w.taint(node, taintKey, corev1.TaintEffectNoExecute) })},
		{"a node is tainted PreferNoSchedule", 1, onNode(history.TaintNode, func(w *world, node string, _ int) {
			w.taint(node, taintKey, corev1.TaintEffectPreferNoSchedule)
		})},
		{"a node is untainted", 2, onNode(history.UntaintNode, func(w *world, node string, _ int) { w.taint(node, taintKey, "") })},
		{"a node is cordoned", 1, onNode(history.CordonNode, func(w *world, node string, _ int) { w.cordon(node, corev1.TaintEffectNoSchedule) })},
		{"a node is uncordoned", 1, onNode(history.UncordonNode, func(w *world, node string, _ int) { w.cordon(node, "") })},
		{"a node moves to another pool", 1, onNode(history.LabelNode, func(w *world, node string, b int) {
			w.editNode(node, func(node *corev1.Node) { node.Labels[poolLabel] = fmt.Sprintf("pool-%d", b%2) })
		})},
	}
}

// onNode is an act on one of the nodes.
func onNode(stimulus history.Act, do func(w *world, node string, b int)) func(*world, int, int) {
	return func(w *world, a, b int) {
		nodes := w.api.nodes()
		if w.setup.Shared {
			nodes = slices.DeleteFunc(nodes, func(node *corev1.Node) bool { return idle(stimulus, node, len(nodes)) })
		}
		if len(nodes) == 0 {
			return
		}
		name := nodes[a%len(nodes)].Name
		w.api.noteNode(stimulus, name)
		do(w, name, b)
	}
}

// idle reports whether a real control plane's schedule does not choose the node, of so many, for the act: it changes nothing there, or would leave too few.
func idle(act history.Act, node *corev1.Node, of int) bool {
	tainted := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == taintKey })
	switch act {
	case history.CordonNode:
		return node.Spec.Unschedulable
	case history.UncordonNode:
		return !node.Spec.Unschedulable
	case history.UntaintNode:
		return !tainted
	case history.DeleteNode:
		return of <= 3
	}
	return false
}

func (w *world) editNode(name string, edit func(*corev1.Node)) {
	// The edit cannot fail and the node exists.
	_ = w.api.update(history.KindNode, name, func(object history.Object) error {
		edit(object.(*corev1.Node))
		return nil
	})
}

// cordon marks the node unschedulable, and has the node lifecycle controller taint it; no effect means that it is schedulable again.
func (w *world) cordon(name string, effect corev1.TaintEffect) {
	w.editNode(name, func(node *corev1.Node) { node.Spec.Unschedulable = effect != "" })
	w.taint(name, corev1.TaintNodeUnschedulable, effect)
}

// taint gives the node the taint with that key, instead of one that it has; no effect means no taint.
func (w *world) taint(name, key string, effect corev1.TaintEffect) {
	w.editNode(name, func(node *corev1.Node) {
		var taints []corev1.Taint
		for _, taint := range node.Spec.Taints {
			if taint.Key != key {
				taints = append(taints, taint)
			}
		}
		if effect != "" {
			taints = append(taints, corev1.Taint{Key: key, Effect: effect})
		}
		node.Spec.Taints = taints
	})
}
