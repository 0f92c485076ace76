package rollouts

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Recorded holds once there is a history of the DaemonSet's template. A status may observe a generation before its history is written (HISTORY-010); whoever gives
// the DaemonSet another template then leaves this one without.
func Recorded(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("there is a history of the template of DaemonSet "+daemonSet.Name, func(cluster *history.Cluster) bool {
		for _, revision := range cluster.Revisions {
			template, err := history.TemplateIn(revision)
			if err == nil && metav1.IsControlledBy(revision, daemonSet) && history.SameTemplate(template, &daemonSet.Spec.Template) {
				return true
			}
		}
		return false
	})
}
