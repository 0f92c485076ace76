package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// everything are the kinds that decide what is owed on a node.
func everything() []history.Kind {
	return []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode}
}

// split returns a node's live pods by whether the template in force made them.
func split(s *judge.Scene, n *judge.Node) (old, updated []*judge.Pod) {
	for _, pod := range n.LivePods(nil) {
		if s.Cluster.IsUpdated(pod.Object) {
			updated = append(updated, pod)
		} else {
			old = append(old, pod)
		}
	}
	return old, updated
}

// leaving returns a pod of the node that is terminating and has not ended; nil if there is none.
func leaving(n *judge.Node) *judge.Pod {
	for _, pod := range n.Pods {
		if pod.Object.DeletionTimestamp != nil && !history.IsTerminal(pod.Object) {
			return pod
		}
	}
	return nil
}

// ended reports whether a pod of the node has ended and nobody has deleted it.
func ended(n *judge.Node) bool {
	for _, pod := range n.Pods {
		if pod.Object.DeletionTimestamp == nil && history.IsTerminal(pod.Object) {
			return true
		}
	}
	return false
}
