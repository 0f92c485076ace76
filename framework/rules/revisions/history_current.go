package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryCurrent is HISTORY-010, also after a rollback. A template is there before its history, and may be reported as observed in between; so what is asked
// for is that the history is there, and has the largest number, promptly.
func HistoryCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-010",
		Kind:        judge.Obligation,
		Promise:     "the ControllerRevision of the current template promptly has the largest revision number",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted(), situation.NoRollout()},
		New:         judge.DueOnDaemonSets(outnumbered),
	}
}

// outnumbered is the condition that the DaemonSet has a history of another template, and the one of the template in force is missing or has no larger number.
func outnumbered(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
	var current, rival *appsv1.ControllerRevision
	for _, revision := range histories(s, of(w)) {
		chosen := &rival
		if holds(s, revision, w.Object) {
			chosen = &current
		}
		if *chosen == nil || above(revision, *chosen) {
			*chosen = revision
		}
	}
	switch {
	case rival == nil, current == nil && mayBeElsewhere(s, w), current != nil && current.Revision > rival.Revision:
		return judge.Due{}, false
	case current == nil:
		return judge.Due{
			About: "none above " + rival.Name, Done: wroteHistory,
			Undone: fmt.Sprintf("no ControllerRevision of the template in force beside %s with %d", rival.Name, rival.Revision),
		}, true
	}
	return judge.Due{
		About: current.Name + " below " + rival.Name, Done: wroteHistory,
		Undone: fmt.Sprintf("%s, of the template in force, with %d still there beside %s with %d", current.Name, current.Revision, rival.Name, rival.Revision),
	}, true
}

// mayBeElsewhere reports whether the DaemonSet may have a history of its template that is none of those that it controls and that this judge can read: one
// of the same content under its name is as good as its own (HISTORY-005), for example that of a predecessor, still to be collected; and one that is being
// deleted has the name until it is gone.
func mayBeElsewhere(s *judge.Scene, w *judge.Workload) bool {
	for _, revision := range s.Cluster.Revisions {
		controls := metav1.IsControlledBy(revision, w.Object)
		_, unreadable := s.Cluster.TemplateIn(revision)
		switch {
		case revision.Namespace != w.Object.Namespace:
		case controls && unreadable != nil:
			return true
		case holds(s, revision, w.Object) && (!controls || revision.DeletionTimestamp != nil):
			return true
		}
	}
	return false
}

// holds reports whether the revision holds the DaemonSet's template.
func holds(s *judge.Scene, revision *appsv1.ControllerRevision, ds *appsv1.DaemonSet) bool {
	template, err := s.Cluster.TemplateIn(revision)
	return err == nil && history.SameTemplate(template, &ds.Spec.Template)
}

// above reports whether the number is larger, or the name where the numbers are the same.
func above(one, other *appsv1.ControllerRevision) bool {
	return one.Revision > other.Revision || one.Revision == other.Revision && one.Name > other.Name
}
