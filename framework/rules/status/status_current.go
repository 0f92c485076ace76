package status

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusCurrent is STATUS-002. Whether a pod that is terminating or has ended is one that the node has, the documents leave open.
func StatusCurrent() judge.Rule {
	return follows("STATUS-002", "currentNumberScheduled follows the number of eligible nodes with a daemon pod", field{
		name:  "currentNumberScheduled",
		value: func(status appsv1.DaemonSetStatus) int32 { return status.CurrentNumberScheduled },
		counts: func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			return n.Eligible && len(n.LivePods(nil)) > 0, n.Eligible && len(n.Pods) > 0, time.Time{}
		},
	})
}
