package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// outnumbered is the part of HistoryCurrent about what lasts, also where no generation begins: the history of the template in force has not the largest number,
// for example since one with a larger number was adopted.
func outnumbered(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
	var current, rival *appsv1.ControllerRevision
	for _, revision := range histories(s, of(w)) {
		chosen := &rival
		if holds(revision, w.Object) {
			chosen = &current
		}
		if *chosen == nil || above(revision, *chosen) {
			*chosen = revision
		}
	}
	if current == nil || rival == nil || current.Revision > rival.Revision {
		return judge.Due{}, false
	}
	return judge.Due{
		About: current.Name + " below " + rival.Name, Done: wroteHistory,
		Undone: fmt.Sprintf("%s, of the template in force, with %d still there beside %s with %d", current.Name, current.Revision, rival.Name, rival.Revision),
	}, true
}

// above reports whether the number is larger, or the name where the numbers are the same.
func above(one, other *appsv1.ControllerRevision) bool {
	return one.Revision > other.Revision || one.Revision == other.Revision && one.Name > other.Name
}
