package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryNext is HISTORY-003, but for the first of a DaemonSet.
func HistoryNext() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-003",
		Kind:        judge.Prohibition,
		Promise:     "a new ControllerRevision has a larger number than all others of the DaemonSet",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted()},
		New:         func(history.Header) judge.Observer { return &historyNext{} },
	}
}

type historyNext struct {
	judge.Exercise
	touched touched
}

// Observe implements judge.Observer.
func (o *historyNext) Observe(s *judge.Scene) []judge.Violation {
	if o.touched.see(s) {
		return nil
	}
	created, is := s.Change.Object.(*appsv1.ControllerRevision)
	if !is || s.Change.Type != watch.Added || s.Change.Before != nil || o.touched.lately(s) || !s.ByImplementation() {
		return nil
	}
	owner := metav1.GetControllerOf(created)
	if owner == nil || s.Workloads()[owner.UID] == nil {
		return nil
	}
	w := s.Workloads()[owner.UID]
	own := int64(0)
	for _, other := range s.Cluster.Revisions {
		if other.UID != created.UID && metav1.IsControlledBy(other, w.Object) {
			own = max(own, other.Revision)
		}
	}
	if own == 0 {
		return nil
	}
	o.PutToTest()
	if created.Revision > own {
		return nil
	}
	got := fmt.Sprintf("%s created with number %d beside one with number %d", created.Name, created.Revision, own)
	return []judge.Violation{{Got: got, Window: s.Window(w)}}
}
