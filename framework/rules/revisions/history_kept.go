package revisions

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryKept is HISTORY-018. One of two histories of the current template may go (HISTORY-011).
func HistoryKept() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-018",
		Kind:        judge.Prohibition,
		Promise:     "the only ControllerRevision of the current template is never deleted",
		Needs:       trims(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Rollout()},
		New: newTrimmed(question{tests: (*trimmed).knows, wrong: func(_ *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) string {
			if current, _ := left(s, w, deleted); len(current) > 0 || !holds(s, deleted, w.Object) {
				return ""
			}
			return fmt.Sprintf("%s deleted, which alone holds the template in force", deleted.Name)
		}}),
	}
}

// HistoryOldest is HISTORY-019. A history that some pod still carries is passed over.
func HistoryOldest() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-019",
		Kind:        judge.Prohibition,
		Promise:     "of the old ControllerRevisions that no pod carries the label of, none is deleted before one with a lower number",
		Needs:       trims(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Rollout()},
		New: newTrimmed(question{tests: (*trimmed).knowsAll, wrong: func(o *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) string {
			_, old := left(s, w, deleted)
			if holds(s, deleted, w.Object) || twin(old, deleted) {
				return ""
			}
			for _, other := range old {
				if other.Revision < deleted.Revision && o.free(s, other) {
					return fmt.Sprintf("%s with number %d deleted before %s with number %d", deleted.Name, deleted.Revision, other.Name, other.Revision)
				}
			}
			return ""
		}}),
	}
}

// HistoryLimit is HISTORY-020: the current history comes on top of those that revisionHistoryLimit has kept. One of two of the same template may go. What
// belongs to nobody may be about to be adopted, and counts. What the implementation has just deleted itself does not, though its cache may still show it: it would be
// the oldest again, unless one of the two is passed over.
func HistoryLimit() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-020",
		Kind:        judge.Prohibition,
		Promise:     "an old ControllerRevision is deleted only while there are more old ones than revisionHistoryLimit",
		Needs:       trims(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Rollout()},
		New: newTrimmed(question{tests: (*trimmed).knows, wrong: func(o *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) string {
			current, old := left(s, w, deleted)
			limit := w.Object.Spec.RevisionHistoryLimit
			if limit == nil || o.passedOver(s, w, deleted.Revision) || holds(s, deleted, w.Object) || twin(slices.Concat(current, old), deleted) {
				return ""
			}
			// The deleted one was there.
			were := 1 + len(old)
			for _, revision := range s.Cluster.Revisions {
				if revision.Namespace == deleted.Namespace && metav1.GetControllerOfNoCopy(revision) == nil {
					were++
				}
			}
			if were > int(*limit) {
				return ""
			}
			return fmt.Sprintf("%s deleted with %d old ones, revisionHistoryLimit being %d", deleted.Name, were, *limit)
		}}),
	}
}

// twin reports whether one of the others holds what the deleted one held.
func twin(others []*appsv1.ControllerRevision, deleted *appsv1.ControllerRevision) bool {
	template, err := history.TemplateIn(deleted)
	if err != nil {
		// Nobody else can read it.
		return true
	}
	for _, other := range others {
		if its, err := history.TemplateIn(other); err != nil || history.SameTemplate(its, template) {
			return true
		}
	}
	return false
}

// trims are the kinds that decide what may go.
func trims() []history.Kind {
	return []history.Kind{history.KindDaemonSet, history.KindControllerRevision, history.KindPod}
}
