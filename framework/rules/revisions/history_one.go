package revisions

import (
	"fmt"
	"slices"
	"strings"

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
			var names []string
			for _, revision := range histories(s, of(w)) {
				if holds(revision, w.Object) {
					names = append(names, revision.Name)
				}
			}
			if len(names) < 2 {
				return judge.Due{}, false
			}
			slices.Sort(names)
			all := strings.Join(names, ", ")
			return judge.Due{About: all, Done: wroteHistory, Undone: fmt.Sprintf("%s all there, which hold the template in force,", all)}, true
		}),
	}
}
