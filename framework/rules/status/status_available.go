package status

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusAvailable is STATUS-005. That a terminating pod does not count is STATUS-009.
func StatusAvailable() judge.Rule {
	return follows("STATUS-005", "numberAvailable follows the number of eligible nodes with an available daemon pod", field{
		name: "numberAvailable", value: func(status appsv1.DaemonSetStatus) int32 { return status.NumberAvailable }, counts: available,
	})
}
