package rollout

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// handOver is the condition that an old pod has an available updated one beside it.
func handOver(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
	old, updated := split(s, n)
	if len(old) == 0 || len(updated) == 0 || !n.Eligible || !w.Settings.ZeroDowntime() {
		return judge.Due{}, false
	}
	var successor *judge.Pod
	var from time.Time
	for _, pod := range updated {
		if at, ok := pod.AvailableFrom(w.Settings.MinReady); ok && (successor == nil || at.Before(from)) {
			successor, from = pod, at
		}
	}
	if successor == nil {
		return judge.Due{}, false
	}
	return judge.Due{
		About:  string(old[0].Object.UID + successor.Object.UID),
		From:   from,
		Undone: fmt.Sprintf("old pod %s not deleted beside available updated pod %s", old[0].Object.Name, successor.Object.Name),
	}, true
}
