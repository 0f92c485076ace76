package revisions

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// trimmed follows what may be deleted of a DaemonSet's history.
type trimmed struct {
	judge.Exercise
	label string
	// released is when the last pod stopped carrying a label, by namespace and label.
	released map[types.NamespacedName]time.Time
	touched  touched
	informed informed
	// deleted are the histories that the implementation has deleted of each DaemonSet, by the numbers that they had.
	deleted map[*judge.Workload]map[int64]deletion
	question
}

// deletion is a history that is gone.
type deletion struct {
	revision *appsv1.ControllerRevision
	at       time.Time
}

// question is what a rule asks of each deletion of a history.
type question struct {
	// tests reports whether the deletion puts the promise to the test: the implementation must know of what decides.
	tests func(o *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) bool
	// wrong says what is wrong with it; empty if nothing is.
	wrong func(o *trimmed, s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) string
}

func newTrimmed(asked question) func(history.Header) judge.Observer {
	return func(header history.Header) judge.Observer {
		return &trimmed{
			label: header.RevisionLabel, released: map[types.NamespacedName]time.Time{}, informed: informed{},
			deleted: map[*judge.Workload]map[int64]deletion{}, question: asked,
		}
	}
}

// Observe implements judge.Observer.
func (o *trimmed) Observe(s *judge.Scene) []judge.Violation {
	o.informed.see(s)
	if o.touched.see(s) {
		return nil
	}
	if pod, is := s.Change.Object.(*corev1.Pod); is {
		o.release(s, pod)
		return nil
	}
	o.touched.move(s)
	w, deleted := deletedOf(s)
	if w == nil {
		return nil
	}
	defer o.delete(s.Now, w, deleted)
	if !o.tests(o, s, w, deleted) {
		return nil
	}
	o.PutToTest()
	if got := o.wrong(o, s, w, deleted); got != "" {
		return []judge.Violation{{Got: got, Window: s.Window(w)}}
	}
	return nil
}

// knows reports whether the implementation must know the DaemonSet's spec, and its histories but for what joined them. What that changes is left to the rule.
func (o *trimmed) knows(s *judge.Scene, w *judge.Workload, _ *appsv1.ControllerRevision) bool {
	return o.informed.of(s, w) && !s.Lately(o.touched.changed)
}

// knowsAll reports whether it must know what joined the histories, too. Who adopts one in a pass may trim those that it controlled before.
func (o *trimmed) knowsAll(s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) bool {
	return o.knows(s, w, deleted) && !s.Lately(o.touched.joined)
}

// delete takes note of a history that the implementation deletes.
func (o *trimmed) delete(now time.Time, w *judge.Workload, revision *appsv1.ControllerRevision) {
	if o.deleted[w] == nil {
		o.deleted[w] = map[int64]deletion{}
	}
	o.deleted[w][revision.Revision] = deletion{revision, now}
}

// passedOver reports whether a cache that still shows, and counts, what was deleted less than Lag ago lets lower be the next. That is so if the deleted one has a higher
// number: a pod carried lower's label then, and does no longer. And if a pod has come to carry the label of the deleted one: it is passed over now.
func (o *trimmed) passedOver(s *judge.Scene, w *judge.Workload, lower int64) bool {
	for number, deleted := range o.deleted[w] {
		if s.Lately(deleted.at) && (number >= lower || !o.free(s, deleted.revision)) {
			return true
		}
	}
	return false
}

// release takes note of a pod that stops carrying its label.
func (o *trimmed) release(s *judge.Scene, pod *corev1.Pod) {
	before, is := s.Change.Before.(*corev1.Pod)
	if is && (s.Change.Type == watch.Deleted || before.Labels[o.label] != pod.Labels[o.label]) {
		o.released[types.NamespacedName{Namespace: before.Namespace, Name: before.Labels[o.label]}] = s.Now
	}
}

// deletedOf returns the history that the implementation deletes in this step, as it was before, and its DaemonSet, which lives; nil if it deletes none.
func deletedOf(s *judge.Scene) (*judge.Workload, *appsv1.ControllerRevision) {
	deleted, ok := s.Change.Object.(*appsv1.ControllerRevision)
	if !ok {
		return nil, nil
	}
	before, _ := s.Change.Before.(*appsv1.ControllerRevision)
	if before == nil || before.DeletionTimestamp != nil || s.Change.Type != watch.Deleted && deleted.DeletionTimestamp == nil {
		return nil, nil
	}
	owner := metav1.GetControllerOf(before)
	if owner == nil || !s.DeletedByImplementation(before) {
		return nil, nil
	}
	w := s.Workloads()[owner.UID]
	if w == nil || !w.Live() {
		return nil, nil
	}
	return w, before
}

// left are the other histories of the DaemonSet: those of the template in force, and the old ones.
func left(s *judge.Scene, w *judge.Workload, deleted *appsv1.ControllerRevision) (current, old []*appsv1.ControllerRevision) {
	for _, revision := range s.Cluster.Revisions {
		switch {
		case revision.UID == deleted.UID || revision.DeletionTimestamp != nil || !metav1.IsControlledBy(revision, w.Object):
		case holds(s, revision, w.Object):
			current = append(current, revision)
		default:
			old = append(old, revision)
		}
	}
	return current, old
}

// free reports whether no pod carries the label of the history, nor has until less than Lag ago.
func (o *trimmed) free(s *judge.Scene, revision *appsv1.ControllerRevision) bool {
	label := types.NamespacedName{Namespace: revision.Namespace, Name: revision.Labels[o.label]}
	if at, known := o.released[label]; label.Name == "" || known && s.Lately(at) {
		return false
	}
	for _, pod := range s.Cluster.Pods {
		if pod.Namespace == label.Namespace && pod.Labels[o.label] == label.Name {
			return false
		}
	}
	return true
}
