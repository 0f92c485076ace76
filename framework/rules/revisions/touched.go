package revisions

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// touched is when somebody other than the implementation last laid hands on a revision: the harness, or who collected one that another DaemonSet left, which
// may have been as good as the DaemonSet's own until then.
type touched struct{ at time.Time }

// see takes note of the step, and reports whether it is a stimulus.
func (t *touched) see(s *judge.Scene) bool {
	stimulus := s.Change.Stimulus
	if stimulus != nil && stimulus.Kind == history.KindControllerRevision || stimulus == nil && collected(s) {
		t.at = s.Now
	}
	return stimulus != nil
}

// lately reports whether that was so short a time ago that the implementation need not know.
func (t *touched) lately(s *judge.Scene) bool { return s.Lately(t.at) }

// collected reports whether a history went in this step whose controller is gone.
func collected(s *judge.Scene) bool {
	gone, ok := s.Change.Object.(*appsv1.ControllerRevision)
	if !ok || s.Change.Type != watch.Deleted {
		return false
	}
	owner := metav1.GetControllerOf(gone)
	return owner != nil && s.Workloads()[owner.UID] == nil
}
