package revisions

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryOne is HISTORY-011. Which of several with the highest number stays is left open.
func HistoryOne() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-011",
		Kind:        judge.Obligation,
		Promise:     "of several ControllerRevisions that hold the current template all but one with the highest number are deleted promptly",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New: judge.Both(newTrimmed(highestStays()), judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			twins := histories(s, func(revision *appsv1.ControllerRevision) bool { return of(w)(revision) && holds(s, revision, w.Object) })
			if len(twins) < 2 {
				return judge.Due{}, false
			}
			return owed(twins, "all there, which hold the template in force,")
		})),
	}
}

// highestStays objects to the deletion of one that holds the template in force while those that stay and hold it, too, have lower numbers.
func highestStays() question {
	return question{
		tests: func(o *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) bool {
			current, _ := left(s, w, deleted)
			return len(current) > 0 && holds(s, deleted, w.Object) && o.knows(s, w, deleted)
		},
		wrong: func(_ *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) string {
			current, _ := left(s, w, deleted)
			highest := slices.MaxFunc(current, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
			if highest.Revision >= deleted.Revision {
				return ""
			}
			return fmt.Sprintf("%s with number %d deleted, while %s with number %d stays", deleted.Name, deleted.Revision, highest.Name, highest.Revision)
		},
	}
}
