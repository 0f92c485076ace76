package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// surgeDuplicate is the condition that with maxSurge a node has two live pods of the current revision, which nobody needs (SURGE-010).
func surgeDuplicate(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
	if !n.Eligible || !w.Settings.ZeroDowntime() {
		return judge.Due{}, false
	}
	return duplicate(func(pod *judge.Pod) bool { return s.Cluster.IsUpdated(pod.Object) }, n)
}

// rollingDuplicate is the condition that without maxSurge a node has two live pods (ROLLING-013).
func rollingDuplicate(_ *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
	if !n.Eligible || !w.Settings.Rolling || w.Settings.Surging {
		return judge.Due{}, false
	}
	return duplicate(func(*judge.Pod) bool { return true }, n)
}

func duplicate(counts func(*judge.Pod) bool, n *judge.Node) (judge.Due, bool) {
	var about string
	var pods []*judge.Pod
	for _, pod := range n.Pods {
		if history.IsLive(pod.Object) && counts(pod) {
			pods = append(pods, pod)
			about += string(pod.Object.UID)
		}
	}
	if len(pods) < 2 {
		return judge.Due{}, false
	}
	return judge.Due{About: about, Undone: fmt.Sprintf("%d pods kept, %s beside %s,", len(pods), pods[1].Object.Name, pods[0].Object.Name)}, true
}
