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

// Renumbered holds once the history of the DaemonSet's template has the largest number of all. That may come after the pods are updated (HISTORY-010).
func Renumbered(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("the history of the template of DaemonSet "+daemonSet.Name+" has the largest number", func(cluster *history.Cluster) bool {
		var last *appsv1.ControllerRevision
		for _, revision := range cluster.Revisions {
			if metav1.IsControlledBy(revision, daemonSet) && (last == nil || revision.Revision > last.Revision) {
				last = revision
			}
		}
		if last == nil {
			return false
		}
		template, err := history.TemplateIn(last)
		return err == nil && history.SameTemplate(template, &daemonSet.Spec.Template)
	})
}
