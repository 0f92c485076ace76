package revisions

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryAdopted is the half of HISTORY-014 that asks for adoption.
func HistoryAdopted() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-014",
		Kind:        judge.Obligation,
		Promise:     "a ControllerRevision of the namespace that matches the selector and has no controller is adopted promptly",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New: judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			selector, err := metav1.LabelSelectorAsSelector(w.Object.Spec.Selector)
			if err != nil {
				return judge.Due{}, false
			}
			return owed(histories(s, func(revision *appsv1.ControllerRevision) bool {
				return revision.Namespace == w.Object.Namespace && metav1.GetControllerOfNoCopy(revision) == nil && selector.Matches(labels.Set(revision.Labels))
			}), "without a controller, although the selector matches,")
		}),
	}
}
