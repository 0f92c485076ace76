package status

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusOrder is STATUS-013, at every version of the status.
func StatusOrder() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-013",
		Kind:        judge.Prohibition,
		Promise:     "in every status 0 ≤ available ≤ ready ≤ current ≤ desired, and 0 ≤ updated ≤ current",
		Needs:       []history.Kind{history.KindDaemonSet},
		Situations:  written(),
		New: statusJudge(func(status appsv1.DaemonSetStatus) string {
			var wrong []string
			for _, order := range []struct {
				less, more int32
				words      string
			}{
				{0, status.NumberAvailable, "available below 0"},
				{status.NumberAvailable, status.NumberReady, "available above ready"},
				{status.NumberReady, status.CurrentNumberScheduled, "ready above current"},
				{status.CurrentNumberScheduled, status.DesiredNumberScheduled, "current above desired"},
				{0, status.UpdatedNumberScheduled, "updated below 0"},
				{status.UpdatedNumberScheduled, status.CurrentNumberScheduled, "updated above current"},
			} {
				if order.less > order.more {
					wrong = append(wrong, order.words)
				}
			}
			if len(wrong) == 0 {
				return ""
			}
			return strings.Join(wrong, ", ") + " in " + judge.StatusNumbers(status)
		}),
	}
}
