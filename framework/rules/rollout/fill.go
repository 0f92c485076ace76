package rollout

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// longestBackoff is how long an implementation may wait after pods that failed on the node: the longest delay that upstream documents.
const longestBackoff = 15 * time.Minute

// creation is what is owed on a node that has nothing to wait for, once pods have failed there after a delay.
func creation(n *judge.Node, about, undone string) judge.Due {
	due := judge.Due{About: about, Undone: undone, Creates: true}
	if n.Ended > 0 {
		due.About, due.Extra = fmt.Sprintf("%s after %d failures", about, n.Ended), longestBackoff
	}
	return due
}

// besideLeaving is the condition that with maxSurge a node has nothing but a pod that is terminating, and that the pod is one to which this applies.
func besideLeaving(applies func(*judge.Scene, *judge.Workload, *judge.Pod) bool) judge.Condition {
	return func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
		pod := leaving(n)
		if pod == nil || !n.Eligible || !w.Settings.ZeroDowntime() || ended(n) || len(n.LivePods(nil)) > 0 || !applies(s, w, pod) {
			return judge.Due{}, false
		}
		undone := fmt.Sprintf("no pod created beside %s, which is terminating,", pod.Object.Name)
		return creation(n, string(pod.Object.UID), undone), true
	}
}

// hitBy reports whether the harness did this to the pod.
func hitBy(s *judge.Scene, pod *judge.Pod, act history.Act) bool {
	for _, entry := range s.Cluster.StimuliOn(pod.Object.UID) {
		if entry.Stimulus.Act == act {
			return true
		}
	}
	return false
}
