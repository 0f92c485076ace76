package revisions

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// touched is when a revision last joined the others of a DaemonSet, and when one was last changed or taken away, otherwise than by the implementation's own creations
// and deletions: by the harness, or by who collected one that another DaemonSet left, which may have been as good as the DaemonSet's own until then.
type touched struct{ joined, changed time.Time }

// see takes note of the step, and reports whether it is a stimulus.
func (t *touched) see(s *judge.Scene) bool {
	stimulus := s.Change.Stimulus
	switch {
	case stimulus != nil && stimulus.Act == history.CreateRevision:
		t.joined = s.Now
	case stimulus != nil && stimulus.Kind == history.KindControllerRevision, stimulus == nil && collected(s):
		t.changed = s.Now
	}
	return stimulus != nil
}

// lately reports whether either was so short a time ago that the implementation need not know.
func (t *touched) lately(s *judge.Scene) bool { return s.Lately(t.joined) || s.Lately(t.changed) }

// move takes note of a revision that the implementation adopts, or that loses its controller.
func (t *touched) move(s *judge.Scene) {
	now, is := s.Change.Object.(*appsv1.ControllerRevision)
	before, was := s.Change.Before.(*appsv1.ControllerRevision)
	if !is || !was || before == nil || s.Change.Type != watch.Modified {
		return
	}
	former, controller := metav1.GetControllerOf(before), metav1.GetControllerOf(now)
	switch {
	case equality.Semantic.DeepEqual(former, controller):
	case former == nil:
		t.joined = s.Now
	default:
		t.changed = s.Now
	}
}

// collected reports whether a history went in this step whose controller is gone.
func collected(s *judge.Scene) bool {
	gone, ok := s.Change.Object.(*appsv1.ControllerRevision)
	if !ok || s.Change.Type != watch.Deleted {
		return false
	}
	owner := metav1.GetControllerOf(gone)
	return owner != nil && s.Workloads()[owner.UID] == nil
}
