package status

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// LeftAlone is STATUS-015, while a finalizer keeps the DaemonSet: from Lag after it was deleted on. The garbage collector deletes its pods meanwhile, so a
// deletion is the implementation's only where the recording says so.
func LeftAlone() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-015",
		Kind:        judge.Prohibition,
		Promise:     "of a DaemonSet that is being deleted no pod is created or deleted, and no status is written",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New:         func(history.Header) judge.Observer { return &leftAlone{deleted: map[*judge.Workload]*deletion{}} },
	}
}

type leftAlone struct {
	judge.Exercise
	// deleted are the DaemonSets that are being deleted.
	deleted map[*judge.Workload]*deletion
}

// deletion is since when a DaemonSet is being deleted, and since when one of its pods lacks: without the deletion another would be created.
type deletion struct{ since, lacks time.Time }

// Observe implements judge.Observer.
func (o *leftAlone) Observe(s *judge.Scene) []judge.Violation {
	o.follow(s)
	pod, w := podOf(s)
	if s.Status != nil {
		w = s.Status.Workload
	}
	of := o.deleted[w]
	if of == nil || s.Interrupted() || s.Lately(latest(of.since, s.WorkingSince())) {
		return nil
	}
	switch {
	case s.Status != nil:
		o.PutToTest()
		return []judge.Violation{{
			Got:    fmt.Sprintf("a status of DaemonSet %s, deleted %s before", w.Object.Name, s.Now.Sub(of.since)),
			Before: judge.StatusNumbers(s.Status.Before.Status), After: judge.StatusNumbers(s.Status.After.Status), Window: s.ThisEntry(),
		}}
	case s.Change.Type == watch.Added && s.Change.Before == nil && s.CreatedByImplementation(pod):
		o.PutToTest()
		return s.OnNode(w, w.Nodes[history.NodeOf(pod)], fmt.Sprintf("%s created", pod.Name))
	case goes(s, pod):
		if author := s.Change.Author; author != nil && author.Who == history.Implementation {
			o.PutToTest()
			return s.OnNode(w, w.Nodes[history.NodeOf(pod)], fmt.Sprintf("%s deleted", pod.Name))
		}
		of.lacks = s.Now
	}
	return nil
}

// follow takes note of DaemonSets that are being deleted, and of those for which a pod has lacked for so long that another would have come.
func (o *leftAlone) follow(s *judge.Scene) {
	for _, w := range s.Workloads() {
		if o.deleted[w] == nil && w.Object.DeletionTimestamp != nil {
			o.deleted[w] = &deletion{since: s.Now}
		}
	}
	for w, of := range o.deleted {
		switch {
		case s.Workloads()[w.Object.UID] != w:
			delete(o.deleted, w)
		case !of.lacks.IsZero() && !s.Lately(of.lacks):
			o.PutToTest()
		}
	}
}

// podOf returns the pod that changes in this step, and the DaemonSet that controls it; nil if there is none.
func podOf(s *judge.Scene) (*corev1.Pod, *judge.Workload) {
	pod, is := s.Change.Object.(*corev1.Pod)
	if !is {
		return nil, nil
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return pod, nil
	}
	return pod, s.Workloads()[owner.UID]
}

// goes reports whether the pod begins to terminate in this step, or goes without.
func goes(s *judge.Scene, pod *corev1.Pod) bool {
	before, is := s.Change.Before.(*corev1.Pod)
	return is && before.DeletionTimestamp == nil && (s.Change.Type == watch.Deleted || pod.DeletionTimestamp != nil)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
