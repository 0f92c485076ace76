package revisions

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryNext is HISTORY-003, but for the first of a DaemonSet. Histories that nobody controls may count or not. So may, for Lag, what was deleted: the cache may
// still show it.
func HistoryNext() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-003",
		Kind:        judge.Prohibition,
		Promise:     "a new ControllerRevision has the number after the largest that exists",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted()},
		New:         func(history.Header) judge.Observer { return &historyNext{} },
	}
}

type historyNext struct {
	judge.Exercise
	touched touched
	// gone are histories that were deleted less than Lag ago.
	gone []gone
}

type gone struct {
	revision *appsv1.ControllerRevision
	at       time.Time
}

// Observe implements judge.Observer.
func (o *historyNext) Observe(s *judge.Scene) []judge.Violation {
	if o.touched.see(s) {
		return nil
	}
	created, is := s.Change.Object.(*appsv1.ControllerRevision)
	if is && s.Change.Type == watch.Deleted {
		o.gone = append(o.gone, gone{created, s.Now})
	}
	if !is || s.Change.Type != watch.Added || s.Change.Before != nil || o.touched.lately(s) || !s.ByImplementation() {
		return nil
	}
	owner := metav1.GetControllerOf(created)
	if owner == nil || s.Workloads()[owner.UID] == nil {
		return nil
	}
	w := s.Workloads()[owner.UID]
	own, all := int64(0), int64(0)
	for _, other := range s.Cluster.Revisions {
		switch {
		case other.UID == created.UID || other.Namespace != created.Namespace:
		case metav1.IsControlledBy(other, w.Object):
			own, all = max(own, other.Revision), max(all, other.Revision)
		case metav1.GetControllerOf(other) == nil:
			all = max(all, other.Revision)
		}
	}
	if own == 0 {
		return nil
	}
	o.PutToTest()
	if created.Revision == own+1 || created.Revision == all+1 || created.Revision > own && o.followsGone(s, created) {
		return nil
	}
	got := fmt.Sprintf("%s created with number %d beside one with number %d", created.Name, created.Revision, own)
	return []judge.Violation{{Got: got, Window: s.Window(w)}}
}

// followsGone reports whether the number is the one after that of a history in the namespace that was deleted less than Lag ago.
func (o *historyNext) followsGone(s *judge.Scene, created *appsv1.ControllerRevision) bool {
	o.gone = slices.DeleteFunc(o.gone, func(g gone) bool { return s.Now.Sub(g.at) >= judge.Lag })
	return slices.ContainsFunc(o.gone, func(g gone) bool {
		return g.revision.Namespace == created.Namespace && g.revision.Revision == created.Revision-1
	})
}
