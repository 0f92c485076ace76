package rollout

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// CreatedWhole is API-023.
func CreatedWhole() judge.Rule {
	return judge.Rule{
		Requirement: "API-023",
		Kind:        judge.Prohibition,
		Promise:     "a daemon pod is created with every part of its template",
		Needs:       everything(),
		Situations:  slices.Concat(course(), strategies()),
		New:         func(history.Header) judge.Observer { return &createdWhole{} },
	}
}

// createdWhole asks it of what the controller sent, where admission changed that. Without an audit log nobody knows who left a part out.
type createdWhole struct {
	judge.Exercise
	unknown bool
}

// Exercised implements judge.Observer.
func (o *createdWhole) Exercised() bool { return !o.unknown && o.Exercise.Exercised() }

// Observe implements judge.Observer.
func (o *createdWhole) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	pod := s.Created.Pod
	made := s.Cluster.Template(pod.Workload.Object.UID, s.Cluster.RevisionOf(pod.Object))
	if made == nil {
		return nil
	}
	lacks := lacksOfTemplates(s, pod.Object, made)
	if lacks != "" {
		if s.Created.Sent == nil {
			o.unknown = true
			return nil
		}
		lacks = lacksOfTemplates(s, s.Created.Sent, made)
	}
	o.PutToTest()
	if lacks == "" {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created without %s of its template", pod.Object.Name, lacks))
}

// lacksOfTemplates returns which part of its template the pod lacks; empty if none. Templates may differ in nothing by which their pods are told apart: all of any of
// them will do.
func lacksOfTemplates(s *judge.Scene, pod *corev1.Pod, made *corev1.PodTemplateSpec) string {
	lacks := history.LacksOfTemplate(pod, made)
	for i := 0; lacks != ""; i++ {
		other := s.Cluster.Template(s.Created.Pod.Workload.Object.UID, i)
		if other == nil {
			break
		}
		if history.LacksOfTemplate(pod, other) == "" {
			return ""
		}
	}
	return lacks
}
