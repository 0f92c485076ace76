package status

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusBound is STATUS-006: the status counts nodes, also where a node has two available pods.
func StatusBound() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-006",
		Kind:        judge.Prohibition,
		Promise:     "status.numberAvailable never exceeds status.desiredNumberScheduled",
		Needs:       []history.Kind{history.KindDaemonSet},
		Situations:  written(),
		New: statusJudge(func(status appsv1.DaemonSetStatus) string {
			if status.NumberAvailable <= status.DesiredNumberScheduled {
				return ""
			}
			return fmt.Sprintf("numberAvailable %d of %d desired", status.NumberAvailable, status.DesiredNumberScheduled)
		}),
	}
}
