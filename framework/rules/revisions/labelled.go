package revisions

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Labelled is API-020, for the pods: at every instant, and not only at the end. A pod and its history may come to be in any order, within Lag.
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
	label string
	// unexplained are the pods whose label nothing had yet when they were created.
	unexplained []unexplained
}

type unexplained struct {
	pod *judge.Pod
	at  time.Time
}

// Observe implements judge.Observer.
func (o *labelled) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	o.PutToTest()
	pod := s.Created.Pod
	value := pod.Object.Labels[o.label]
	if value == "" {
		return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created without the label %s", pod.Object.Name, o.label))
	}
	if !o.exists(s, pod) {
		o.unexplained = append(o.unexplained, unexplained{pod, s.Now})
	}
	return nil
}

// exists reports whether a history in the DaemonSet's namespace has the pod's label.
func (o *labelled) exists(s *judge.Scene, pod *judge.Pod) bool {
	for _, revision := range s.Cluster.Revisions {
		if revision.Namespace == pod.Object.Namespace && revision.Labels[o.label] == pod.Object.Labels[o.label] {
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
