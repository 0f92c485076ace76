package revisions

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryOne is HISTORY-011. Which of those with the highest number stays is left open.
func HistoryOne() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-011",
		Kind:        judge.Obligation,
		Promise:     "of several ControllerRevisions that hold the current template all but one are deleted promptly",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New: judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			twins := histories(s, func(revision *appsv1.ControllerRevision) bool { return of(w)(revision) && holds(s, revision, w.Object) })
			if len(twins) < 2 {
				return judge.Due{}, false
			}
			return owed(twins, "all there, which hold the template in force,")
		}),
	}
}
