package rollout

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

type targetNodes struct {
	judge.Exercise
	// recorded selects the nodes that are recorded, bounded says that there are others.
	recorded labels.Selector
	bounded  bool
}

// Observe implements judge.Observer.
func (o *targetNodes) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	pod := s.Created.Pod
	w, n := pod.Workload, pod.Node
	if n.Name == "" {
		return nil
	}
	if w.Having(judge.Closed) > 0 {
		for _, node := range w.Nodes {
			if node.Exists && node.Unwanted(s.Now) {
				o.PutToTest()
				break
			}
		}
	}
	known := !n.Since.IsZero()
	switch {
	case known && !n.Unwanted(s.Now):
		return nil
	case !known && !(o.bounded && o.recorded.Matches(labels.Set(w.Object.Spec.Template.Spec.NodeSelector))):
		// Nothing is known of the node, and it may be one that fits.
		return nil
	}
	o.PutToTest()
	return s.OnNode(w, n, fmt.Sprintf("%s created on node %s, %s", pod.Object.Name, n.Name, repelled(s, w, n)))
}

// repelled says why the node is not eligible.
func repelled(s *judge.Scene, w *judge.Workload, n *judge.Node) string {
	node := s.Cluster.Nodes[n.Name]
	switch {
	case node == nil && n.Since.IsZero():
		return "which the selector excludes"
	case node == nil:
		return "which is deleted"
	case !fits(w, node):
		return "which the selector or the affinity excludes"
	}
	return "whose taints are not tolerated"
}

// fits reports whether nothing but a taint can keep the pods from the node.
func fits(w *judge.Workload, node *corev1.Node) bool {
	untainted := node.DeepCopy()
	untainted.Spec.Taints = nil
	return history.EligibilityOf(w.Object, untainted).ShouldRun
}

// evicted is the condition that a pod is on a node that it must leave, for the reason.
func evicted(reason func(*judge.Workload, *corev1.Node, *corev1.Pod) bool, words string) judge.Condition {
	return func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
		node := s.Cluster.Nodes[n.Name]
		if node == nil || n.Stays {
			return judge.Due{}, false
		}
		live := n.LivePods(nil)
		i := slices.IndexFunc(live, func(pod *judge.Pod) bool { return reason(w, node, pod.Object) })
		if i < 0 {
			return judge.Due{}, false
		}
		return judge.Due{
			About:  string(live[i].Object.UID),
			Undone: fmt.Sprintf("%s still on node %s, %s,", live[i].Object.Name, n.Name, words),
			Done:   func(s *judge.Scene) bool { return s.Removed != nil && s.Removed.Pod.Node == n },
		}, true
	}
}
