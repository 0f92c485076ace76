package revisions

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// informed is when the implementation last created a history of a template that was in force then, and never before: it knows the DaemonSet that brought it. A process
// that is started later need not: its cache may begin with what was before.
type informed map[*judge.Workload]time.Time

func (i informed) see(s *judge.Scene) {
	if s.Interrupted() {
		clear(i)
	}
	created, is := s.Change.Object.(*appsv1.ControllerRevision)
	if !is || s.Change.Type != watch.Added || s.Change.Before != nil || !s.ByImplementation() {
		return
	}
	owner := metav1.GetControllerOfNoCopy(created)
	if owner == nil {
		return
	}
	if w := s.Workloads()[owner.UID]; w != nil && w.Course().Rollout && !w.Course().RolledBack && holds(s, created, w.Object) {
		i[w] = s.Now
	}
}

// of reports whether the implementation must know the DaemonSet's spec: it has been so for long enough, or a new template was the last change of it and has its
// history.
func (i informed) of(s *judge.Scene, w *judge.Workload) bool {
	if !s.Lately(w.ChangedAt()) {
		return true
	}
	return w.Course().Since.Equal(w.ChangedAt()) && !i[w].Before(w.ChangedAt())
}
