package revisions

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Labelled is API-020, for the pods: at every instant, and not only at the end. A pod and its history may come to be in any order, within Lag. Whose history
// somebody else took away less than Lag before may still be created with its label: the cache may still show it.
func Labelled() judge.Rule {
	return judge.Rule{
		Requirement: "API-020",
		Kind:        judge.Obligation,
		Promise:     "a daemon pod is created with the revision label of a ControllerRevision that exists",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted(), situation.OnJoined(), situation.WithSurge(), situation.WithUnavailable(), situation.OnDelete()},
		New:         func(header history.Header) judge.Observer { return &labelled{label: header.RevisionLabel} },
	}
}

type labelled struct {
	judge.Exercise
	label   string
	touched touched
	// taken are the histories that somebody else deleted, or gave another label, less than Lag ago, as they were before.
	taken []taken
	// unexplained are the pods whose label nothing had yet when they were created.
	unexplained []unexplained
}

type taken struct {
	revision *appsv1.ControllerRevision
	at       time.Time
}

type unexplained struct {
	pod *judge.Pod
	at  time.Time
}

// Observe implements judge.Observer.
func (o *labelled) Observe(s *judge.Scene) []judge.Violation {
	o.touched.see(s)
	o.take(s)
	if s.Created == nil {
		return nil
	}
	pod := s.Created.Pod
	if o.wasTaken(pod) {
		return nil
	}
	o.PutToTest()
	value := pod.Object.Labels[o.label]
	if value == "" {
		return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created without the label %s", pod.Object.Name, o.label))
	}
	if !o.exists(s, pod) {
		o.unexplained = append(o.unexplained, unexplained{pod, s.Now})
	}
	return nil
}

// take notes what somebody else takes away in this step, and forgets what everybody knows by now.
func (o *labelled) take(s *judge.Scene) {
	o.taken = slices.DeleteFunc(o.taken, func(t taken) bool { return !s.Lately(t.at) })
	before, is := s.Change.Before.(*appsv1.ControllerRevision)
	if !is || !o.touched.lately(s) {
		return
	}
	if after := s.Change.Object; s.Change.Type == watch.Deleted || after.GetLabels()[o.label] != before.Labels[o.label] {
		o.taken = append(o.taken, taken{before, s.Now})
	}
}

// wasTaken reports whether the pod's label is that of a history that was taken.
func (o *labelled) wasTaken(pod *judge.Pod) bool {
	return slices.ContainsFunc(o.taken, func(t taken) bool { return t.revision.Namespace == pod.Object.Namespace && o.labels(t.revision, pod) })
}

// labels reports whether the history has the pod's label.
func (o *labelled) labels(revision *appsv1.ControllerRevision, pod *judge.Pod) bool {
	value := pod.Object.Labels[o.label]
	return value != "" && revision.Labels[o.label] == value
}

// exists reports whether a history in the DaemonSet's namespace has the pod's label.
func (o *labelled) exists(s *judge.Scene, pod *judge.Pod) bool {
	for _, revision := range s.Cluster.Revisions {
		if revision.Namespace == pod.Object.Namespace && o.labels(revision, pod) {
			return true
		}
	}
	return false
}

// Elapse implements judge.Timed.
func (o *labelled) Elapse(s *judge.Scene, next time.Time) []judge.Violation {
	var violations []judge.Violation
	var left []unexplained
	for _, open := range o.unexplained {
		deadline := open.at.Add(judge.Lag)
		switch {
		case o.exists(s, open.pod):
		case !deadline.Before(next):
			left = append(left, open)
		case open.pod.Workload.Live():
			got := fmt.Sprintf("%s labelled %s, which no ControllerRevision is", open.pod.Object.Name, open.pod.Object.Labels[o.label])
			violation := s.OnNode(open.pod.Workload, open.pod.Node, got)[0]
			violation.Time = deadline
			violations = append(violations, violation)
		}
	}
	o.unexplained = left
	return violations
}
