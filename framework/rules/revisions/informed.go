package revisions

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// informed are the DaemonSets whose last change the implementation must know of, however short a time ago it was: it brought a template, never in force before, and
// the implementation has created the history of that. A process that is started later need not know: its cache may begin with what was before.
type informed map[*judge.Workload]knowledge

// knowledge is of the last change of a DaemonSet's spec.
type knowledge struct {
	// template: the change was of the template. created: the implementation created its history.
	template, created bool
}

func (i informed) see(s *judge.Scene) {
	if s.Interrupted() {
		clear(i)
		return
	}
	switch object := s.Change.Object.(type) {
	case *appsv1.DaemonSet:
		before, _ := s.Change.Before.(*appsv1.DaemonSet)
		if w := s.Workloads()[object.UID]; w != nil && before != nil && before.Generation != object.Generation {
			i[w] = knowledge{template: s.Rolled == w && !w.Course().RolledBack}
		}
	case *appsv1.ControllerRevision:
		i.create(s, object)
	}
}

// create takes note of a history that the implementation creates.
func (i informed) create(s *judge.Scene, created *appsv1.ControllerRevision) {
	owner := metav1.GetControllerOfNoCopy(created)
	if owner == nil || s.Change.Type != watch.Added || s.Change.Before != nil || !s.ByImplementation() {
		return
	}
	if w := s.Workloads()[owner.UID]; w != nil && i[w].template && holds(s, created, w.Object) {
		i[w] = knowledge{template: true, created: true}
	}
}

// of reports whether the implementation must know the DaemonSet's spec: it has been so for long enough, or the implementation has shown it.
func (i informed) of(s *judge.Scene, w *judge.Workload) bool {
	return !s.Lately(w.ChangedAt()) || i[w].created
}
