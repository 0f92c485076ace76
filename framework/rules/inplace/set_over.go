package inplace

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// setOver is the part of SetRevisions about the status.
type setOver struct {
	judge.Exercise
	sets
	// lost are the ControllerRevisions that somebody else has deleted, by namespace and name.
	lost map[types.NamespacedName]bool
	// updated is until when a pod was live and of a template that its StatefulSet had then.
	updated map[member]time.Time
}

// member is a pod that a StatefulSet may ask for.
type member struct {
	set     types.UID
	ordinal int
}

func newSetOver(header history.Header) judge.Observer {
	return &setOver{sets: newSets(header), lost: map[types.NamespacedName]bool{}, updated: map[member]time.Time{}}
}

// Observe implements judge.Observer.
func (o *setOver) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	o.lose(s)
	o.follow(s)
	is, isSet := s.Change.Object.(*appsv1.StatefulSet)
	before, existed := s.Change.Before.(*appsv1.StatefulSet)
	// A rollback makes the two the same by bringing updateRevision back.
	if !isSet || !existed || s.Change.Type == watch.Deleted || is.Status.CurrentRevision == before.Status.CurrentRevision ||
		before.Status.CurrentRevision == "" || !s.ByImplementation() ||
		o.lost[types.NamespacedName{Namespace: is.Namespace, Name: before.Status.CurrentRevision}] {
		return nil
	}
	known := o.known[is.UID]
	updated := func(pod *corev1.Pod) bool {
		return !known.always(s, func(is *appsv1.StatefulSet) bool { return !s.Cluster.Matches(pod, &is.Spec.Template) })
	}
	if is.Status.CurrentRevision != is.Status.UpdateRevision {
		// The update to it was over when the next one began, or that has overtaken it.
		current, next := templateOf(s, is, is.Status.CurrentRevision), templateOf(s, is, is.Status.UpdateRevision)
		if current == nil || next == nil {
			return nil
		}
		updated = func(pod *corev1.Pod) bool {
			return s.Cluster.Matches(pod, current) || s.Cluster.Matches(pod, next) || s.Cluster.Matches(pod, &is.Spec.Template)
		}
	}
	o.PutToTest()
	old := o.outdated(s, is, updated)
	if old == nil {
		return o.missing(s, is)
	}
	return []judge.Violation{{
		Node: history.NodeOf(old), Window: s.ThisEntry(),
		Got: fmt.Sprintf("currentRevision became %s while %s is not updated", is.Status.CurrentRevision, old.Name),
	}}
}

// lose takes note of a ControllerRevision that somebody else deletes, and of one that is created again.
func (o *setOver) lose(s *judge.Scene) {
	if act := s.Change.Stimulus; act != nil && act.Act == history.DeleteRevision {
		o.lost[types.NamespacedName{Namespace: act.Namespace, Name: act.Name}] = true
	}
	revision, isRevision := s.Change.Object.(*appsv1.ControllerRevision)
	if !isRevision {
		return
	}
	name := types.NamespacedName{Namespace: revision.Namespace, Name: revision.Name}
	switch {
	case s.Change.Type == watch.Added:
		delete(o.lost, name)
	case s.Change.Type == watch.Deleted && !s.ByImplementation():
		o.lost[name] = true
	}
}

// templateOf is the template of the StatefulSet's revision of that name; nil if that is not known.
func templateOf(s *judge.Scene, is *appsv1.StatefulSet, name string) *corev1.PodTemplateSpec {
	for _, revision := range s.Cluster.Revisions {
		if revision.Name != name || !metav1.IsControlledBy(revision, is) {
			continue
		}
		if template, err := s.Cluster.TemplateIn(revision); err == nil {
			return template
		}
	}
	return nil
}

// outdated returns a live pod that is not updated, and that the StatefulSet asks for, whichever the implementation may have gone by; nil if there is none. Of
// several it is the first by ordinal.
func (o *setOver) outdated(s *judge.Scene, is *appsv1.StatefulSet, updated func(*corev1.Pod) bool) *corev1.Pod {
	var first *corev1.Pod
	for _, pod := range s.Cluster.Pods {
		if !metav1.IsControlledBy(pod, is) || !history.IsLive(pod) || first != nil && ordinalOf(first) < ordinalOf(pod) {
			continue
		}
		asked := func(is *appsv1.StatefulSet) bool { return asksFor(is, ordinalOf(pod)) }
		if o.known[is.UID].always(s, asked) && !updated(pod) {
			first = pod
		}
	}
	return first
}

// follow takes note of a live pod that is updated, until it is another one or gone.
func (o *setOver) follow(s *judge.Scene) {
	before, isPod := s.Change.Before.(*corev1.Pod)
	if !isPod || !history.IsLive(before) || metav1.GetControllerOf(before) == nil {
		return
	}
	set := o.known[metav1.GetControllerOf(before).UID]
	if set != nil && !set.always(s, func(is *appsv1.StatefulSet) bool { return !s.Cluster.Matches(before, &is.Spec.Template) }) {
		o.updated[member{set.now.UID, ordinalOf(before)}] = s.Now
	}
}

// missing says that a pod below the partition is terminating, or not there, unless it was of the template until less than judge.Lag ago: it is to be another one.
func (o *setOver) missing(s *judge.Scene, is *appsv1.StatefulSet) []judge.Violation {
	live := map[int]bool{}
	for _, pod := range s.Cluster.Pods {
		live[ordinalOf(pod)] = live[ordinalOf(pod)] || metav1.IsControlledBy(pod, is) && history.IsLive(pod)
	}
	for ordinal := firstOf(is); asksFor(is, ordinal); ordinal++ {
		staged := o.known[is.UID].always(s, func(is *appsv1.StatefulSet) bool { return asksFor(is, ordinal) && ordinal < partitionOf(is) })
		if !staged || live[ordinal] || s.Lately(o.updated[member{is.UID, ordinal}]) {
			continue
		}
		return []judge.Violation{{
			Window: s.ThisEntry(),
			Got:    fmt.Sprintf("currentRevision became %s while %s-%d, which is below the partition, is not there", is.Status.CurrentRevision, is.Name, ordinal),
		}}
	}
	return nil
}
