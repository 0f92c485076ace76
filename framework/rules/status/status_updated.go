package status

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusUpdated is STATUS-008. Whether an updated pod that is terminating or has ended counts, the documents leave open.
func StatusUpdated() judge.Rule {
	return follows("STATUS-008", "updatedNumberScheduled follows the number of eligible nodes with an updated daemon pod", field{
		name:  "updatedNumberScheduled",
		value: func(status appsv1.DaemonSetStatus) int32 { return status.UpdatedNumberScheduled },
		counts: func(s *judge.Scene, _ *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time) {
			for _, pod := range n.Pods {
				if !n.Eligible || !s.Cluster.IsUpdated(pod.Object) {
					continue
				}
				possibly = true
				surely = surely || history.IsLive(pod.Object)
			}
			return surely, possibly, time.Time{}
		},
	})
}
