package status

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusMisscheduled is STATUS-003.
func StatusMisscheduled() judge.Rule {
	return follows("STATUS-003", "numberMisscheduled follows the number of nodes with a daemon pod that should have none", field{
		"numberMisscheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.NumberMisscheduled },
		func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			unwanted := n.Exists && !n.Eligible
			return unwanted && len(n.LivePods(nil)) > 0, unwanted && len(n.Pods) > 0, time.Time{}
		},
	})
}
