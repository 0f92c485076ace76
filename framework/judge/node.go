package judge

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Node is what rules remember of one DaemonSet on one node.
type Node struct {
	Name string
	// Pods that exist, oldest first.
	Pods []*Pod
	// gone are those that it lost last, and less than Lag before.
	gone []*Pod
	// Eligible: the node should run a pod of the DaemonSet. Stays: a pod that is there may stay. Exists: there is such a node.
	Eligible, Stays, Exists bool
	// Since is when Eligible became what it is, or could last be thought to be otherwise.
	Since time.Time
	// Failures counts the pods that ended on the node by themselves since the DaemonSet's spec last changed: whoever backs off may forget those before.
	Failures int
	// ended has what Ended was of the templates before.
	ended map[int]int
	// Ended counts those of its template, also of an earlier time when it was in force. While there are any, the implementation may be backing off (SURGE-024, TARGET-010).
	Ended int
	// Served: the DaemonSet has had a pod there.
	Served bool

	// taints are those of its object, as far as it matters whether a pod tolerates them.
	taints []corev1.Taint
	// character are its traits.
	character uint32
	news      *news
}

// Wanted reports whether the node is eligible and has been for Lag.
func (n *Node) Wanted(now time.Time) bool { return n.Eligible && !n.news.lately(n.Since, now) }

// Unwanted reports whether the node should have no pod, and has not been eligible for Lag.
func (n *Node) Unwanted(now time.Time) bool { return !n.Eligible && !n.news.lately(n.Since, now) }

// LivePods returns the pods that are neither terminating nor terminal, but for one.
func (n *Node) LivePods(but *Pod) []*Pod {
	var live []*Pod
	for _, pod := range n.Pods {
		if pod != but && history.IsLive(pod.Object) {
			live = append(live, pod)
		}
	}
	return live
}

// Everyone returns the pods that the node has, and the last that it had, however long ago.
func (n *Node) Everyone() []*Pod { return slices.Concat(n.gone, n.Pods) }

// Lately returns the pods that the node has, or had less than Lag ago.
func (n *Node) Lately(now time.Time) []*Pod {
	return slices.DeleteFunc(n.Everyone(), func(pod *Pod) bool { return pod.gone() && !n.news.lately(pod.goneAt, now) })
}

// taintedBy takes over the taints of the node's object, nil if there is none, and reports whether they are other ones than before.
func (n *Node) taintedBy(object *corev1.Node) bool {
	var taints []corev1.Taint
	if object != nil {
		taints = object.Spec.Taints
	}
	same := slices.EqualFunc(n.taints, taints, func(a, b corev1.Taint) bool { return a.MatchTaint(&b) && a.Value == b.Value })
	n.taints = taints
	return !same
}

// servedBy reports whether a pod other than one is available, or was until somebody else changed that less than Lag ago.
func (n *Node) servedBy(but *Pod, minReady int32, now time.Time) bool {
	served := func(pod *Pod) bool { return pod != but && pod.Believable(minReady, now) }
	return slices.ContainsFunc(n.Pods, served) || slices.ContainsFunc(n.gone, served)
}
