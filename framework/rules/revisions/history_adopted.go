package revisions

import (
	appsv1 "k8s.io/api/apps/v1"

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
			return owed(histories(s, func(revision *appsv1.ControllerRevision) bool { return w.Adopts(revision) }), "without a controller, although the selector matches,")
		}),
	}
}
