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
		Situations:  patching(),
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
	// What a pod that is patched differs in is INPLACE-004.
	from, to := before.Labels[o.label], after.Labels[o.label]
	patched := s.Patched != nil && s.Patched.Voluntary
	if patched {
		o.PutToTest()
	}
	got := ""
	switch {
	case patched && from == to:
		got = fmt.Sprintf("%s got other images, and kept the label %s of those before", after.Name, from)
	case patched && to == "":
		got = fmt.Sprintf("%s got other images, and lost the label %s of those before", after.Name, from)
	case !patched && from != "" && from != to && s.ChangedByImplementation(before) && o.differs(s, pod.Workload, after):
		got = fmt.Sprintf("%s got the label %s, and not the images of that revision", after.Name, to)
	default:
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, got)
}

// differs reports whether the pod is known to be another one than its label says.
func (o *oneWrite) differs(s *judge.Scene, w *judge.Workload, pod *corev1.Pod) bool {
	template := s.Cluster.Template(w.Object.UID, s.Cluster.LabelledTemplate(w.Object.UID, pod.Labels[o.label]))
	return template != nil && !s.Cluster.Matches(pod, template)
}
