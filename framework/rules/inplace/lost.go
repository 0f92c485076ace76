package inplace

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// lostHistories are the ControllerRevisions that are gone. A pod of a template that no history holds any more cannot be patched, since nobody can say in what it differs: it is
// recreated (INPLACE-008, INPLACE-018).
type lostHistories []*appsv1.ControllerRevision

// see takes a step in.
func (l *lostHistories) see(s *judge.Scene) {
	if revision, is := s.Change.Object.(*appsv1.ControllerRevision); is && (s.Change.Type == watch.Deleted || revision.DeletionTimestamp != nil) {
		*l = append(*l, revision)
	}
}

// held reports whether one that is gone held the template, and none that there is does.
func (l *lostHistories) held(s *judge.Scene, template *corev1.PodTemplateSpec) bool {
	holds := func(revision *appsv1.ControllerRevision) bool {
		held, err := history.TemplateIn(revision)
		return err == nil && history.SameTemplate(held, template)
	}
	if !slices.ContainsFunc(*l, holds) {
		return false
	}
	for _, revision := range s.Cluster.Revisions {
		if revision.DeletionTimestamp == nil && holds(revision) {
			return false
		}
	}
	return true
}
