package revisions

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// histories are those that meet the condition, are not being deleted, and hold a template that can be read.
func histories(s *judge.Scene, meets func(*appsv1.ControllerRevision) bool) []*appsv1.ControllerRevision {
	var all []*appsv1.ControllerRevision
	for _, revision := range s.Cluster.Revisions {
		if revision.DeletionTimestamp != nil || !meets(revision) {
			continue
		}
		if _, err := s.Cluster.TemplateIn(revision); err == nil {
			all = append(all, revision)
		}
	}
	return all
}

// of is the condition that the DaemonSet controls the history.
func of(w *judge.Workload) func(*appsv1.ControllerRevision) bool {
	return func(revision *appsv1.ControllerRevision) bool { return metav1.IsControlledBy(revision, w.Object) }
}

// owed is what is to be done about the histories, if there are any, which are as the second argument says.
func owed(all []*appsv1.ControllerRevision, are string) (judge.Due, bool) {
	var names []string
	for _, revision := range all {
		names = append(names, revision.Name)
	}
	slices.Sort(names)
	about := strings.Join(names, ", ")
	return judge.Due{About: about, Done: wroteHistory, Undone: fmt.Sprintf("%s %s", about, are)}, len(names) > 0
}

// wroteHistory reports whether the implementation wrote or deleted a history in the step.
func wroteHistory(s *judge.Scene) bool {
	_, is := s.Change.Object.(*appsv1.ControllerRevision)
	return is && s.ByImplementation()
}
