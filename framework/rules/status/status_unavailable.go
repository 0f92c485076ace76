package status

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusUnavailable is STATUS-007. Where more are available than desired (STATUS-006) there is no right number.
func StatusUnavailable() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-007",
		Kind:        judge.Prohibition,
		Promise:     "status.numberUnavailable is desiredNumberScheduled less numberAvailable",
		Needs:       []history.Kind{history.KindDaemonSet},
		Situations:  written(),
		New: statusJudge(func(status appsv1.DaemonSetStatus) string {
			want := status.DesiredNumberScheduled - status.NumberAvailable
			if want < 0 || status.NumberUnavailable == want {
				return ""
			}
			return fmt.Sprintf("numberUnavailable %d, want %d", status.NumberUnavailable, want)
		}),
	}
}
