package inplace

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// OneWrite is INPLACE-028: whoever sees the pod between two writes takes it for one that it is not. A label that is changed for another one of the same
// template is no such write (HISTORY-012).
func OneWrite() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-028",
		Kind:        judge.Prohibition,
		Promise:     "a pod gets new images and the label of their revision in one write",
		Needs:       append(everything(), history.KindControllerRevision),
		New:         func(header history.Header) judge.Observer { return &oneWrite{label: header.RevisionLabel} },
	}
}

type oneWrite struct {
	judge.Exercise
	label string
}

// Observe implements judge.Observer.
func (o *oneWrite) Observe(s *judge.Scene) []judge.Violation {
	after, isPod := s.Change.Object.(*corev1.Pod)
	before, _ := s.Change.Before.(*corev1.Pod)
	if !isPod || before == nil || s.Change.Type == watch.Deleted {
		return nil
	}
	pod := s.Pod(after.UID)
	if pod == nil {
		return nil
	}
	moved := before.Labels[o.label] != after.Labels[o.label]
	if s.Patched != nil && s.Patched.Voluntary {
		o.PutToTest()
		if moved {
			return nil
		}
		return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s got other images, and kept the label %s of those before", after.Name, before.Labels[o.label]))
	}
	if !moved || before.Labels[o.label] == "" || !s.ChangedByImplementation(before) {
		return nil
	}
	template := s.Cluster.Template(pod.Workload.Object.UID, s.Cluster.LabelledTemplate(pod.Workload.Object.UID, after.Labels[o.label]))
	if template == nil || history.MatchesTemplate(after, template) {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s got the label %s, and not the images of that revision", after.Name, after.Labels[o.label]))
}
