package matchers

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// NodeEligible happens when a node without a pod becomes one that a recorded DaemonSet wants a pod on. That is not when the node joins: a new node has a
// taint until its first status has been seen.
func NodeEligible() Event {
	return eventOf("node without a pod became eligible", &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		index, eligible := 0, map[string]bool{}
		return func(cluster *history.Cluster, change history.Change) {
			if change.Kind == history.KindNode {
				node := change.Object.GetName()
				was := eligible[node]
				eligible[node] = change.Type != watch.Deleted && lacksPod(cluster, node)
				if eligible[node] && !was {
					emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: index}, cluster: cluster})
				}
			}
			index++
		}
	}})
}

// lacksPod reports whether a DaemonSet wants a pod on the node and has none there.
func lacksPod(cluster *history.Cluster, node string) bool {
	for uid := range cluster.DaemonSets {
		if cluster.Eligibility(uid, node).ShouldRun && len(cluster.PodsOn(uid, node)) == 0 {
			return true
		}
	}
	return false
}
