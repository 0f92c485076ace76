package revisions

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryLabelled is HISTORY-013.
func HistoryLabelled() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-013",
		Kind:        judge.Obligation,
		Promise:     "a ControllerRevision of the DaemonSet that lacks the revision label is given one promptly",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New: func(header history.Header) judge.Observer {
			return judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
				return owed(histories(s, func(revision *appsv1.ControllerRevision) bool {
					return of(w)(revision) && revision.Labels[header.RevisionLabel] == ""
				}), "without the label "+header.RevisionLabel)
			})(header)
		},
	}
}
