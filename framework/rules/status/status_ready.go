package status

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusReady is STATUS-004. That a terminating pod does not count is STATUS-009.
func StatusReady() judge.Rule {
	return follows("STATUS-004", "numberReady follows the number of eligible nodes with a Ready daemon pod", field{
		name: "numberReady", value: func(status appsv1.DaemonSetStatus) int32 { return status.NumberReady }, counts: ready,
	})
}
