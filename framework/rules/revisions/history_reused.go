package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryReused is ROLLBACK-001, as far as there is no other history of a template that had one before others came. That it gets the largest number is
// HISTORY-010.
func HistoryReused() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLBACK-001",
		Kind:        judge.Prohibition,
		Promise:     "a template that comes back has no second ControllerRevision created for it",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted()},
		New:         func(history.Header) judge.Observer { return &historyReused{edited: sets.New[types.UID]()} },
	}
}

type historyReused struct {
	judge.Exercise
	touched touched
	// edited are histories that somebody else has changed, be it so that the DaemonSet is to let go of them.
	edited sets.Set[types.UID]
}

// Observe implements judge.Observer.
func (o *historyReused) Observe(s *judge.Scene) []judge.Violation {
	if o.touched.see(s) {
		o.edited.Insert(s.Change.Stimulus.UID)
		return nil
	}
	written, is := s.Change.Object.(*appsv1.ControllerRevision)
	if !is || s.Change.Type == watch.Deleted || o.touched.lately(s) || !s.ByImplementation() {
		return nil
	}
	owner := metav1.GetControllerOf(written)
	if owner == nil || s.Workloads()[owner.UID] == nil {
		return nil
	}
	w := s.Workloads()[owner.UID]
	if !holds(s, written, w.Object) {
		return nil
	}
	if before, existed := s.Change.Before.(*appsv1.ControllerRevision); existed {
		if before.Revision < written.Revision {
			o.PutToTest()
		}
		return nil
	}
	var former, newest *appsv1.ControllerRevision
	for _, other := range histories(s, of(w)) {
		switch {
		case other.UID == written.UID || o.edited.Has(other.UID):
		case holds(s, other, w.Object):
			former = other
		case newest == nil || other.Revision > newest.Revision:
			newest = other
		}
	}
	if former == nil || newest == nil || former.Revision >= newest.Revision {
		return nil
	}
	o.PutToTest()
	got := fmt.Sprintf("%s created beside %s, which holds the same template and came before %s", written.Name, former.Name, newest.Name)
	return []judge.Violation{{Got: got, Window: s.Window(w)}}
}
