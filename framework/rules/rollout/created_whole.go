package rollout

import (
	"fmt"
	"maps"
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
		New:         func(header history.Header) judge.Observer { return &createdWhole{label: header.RevisionLabel} },
	}
}

// createdWhole asks it of what the controller sent, where admission changed that. Without an audit log nobody knows who left a part out.
type createdWhole struct {
	judge.Exercise
	label   string
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
	made := o.madeFrom(s, pod)
	if made == nil {
		return nil
	}
	lacks := o.lacksOfTemplates(s, pod.Object, made)
	if lacks != "" {
		if s.Created.Sent == nil {
			o.unknown = true
			return nil
		}
		lacks = o.lacksOfTemplates(s, s.Created.Sent, made)
	}
	o.PutToTest()
	if lacks == "" {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created without %s of its template", pod.Object.Name, lacks))
}

// madeFrom returns the template that the pod was made from; nil if that is not known. A pod that lacks what tells templates apart, such as a port, is of none of them by
// its content: then its revision label says which it should be of.
func (o *createdWhole) madeFrom(s *judge.Scene, pod *judge.Pod) *corev1.PodTemplateSpec {
	workload := pod.Workload.Object.UID
	if made := s.Cluster.Template(workload, s.Cluster.RevisionOf(pod.Object)); made != nil {
		return made
	}
	return s.Cluster.Template(workload, s.Cluster.LabelledTemplate(workload, pod.Object.Labels[o.label]))
}

// lacksOfTemplates returns which part of its template the pod lacks; empty if none. Templates may differ in nothing by which their pods are told apart: all of any of
// them will do.
func (o *createdWhole) lacksOfTemplates(s *judge.Scene, pod *corev1.Pod, made *corev1.PodTemplateSpec) string {
	lacks := o.lacksOf(pod, made)
	for i := 0; lacks != ""; i++ {
		other := s.Cluster.Template(s.Created.Pod.Workload.Object.UID, i)
		if other == nil {
			break
		}
		if o.lacksOf(pod, other) == "" {
			return ""
		}
	}
	return lacks
}

// lacksOf leaves out the labels that are the controller's to write (API-020, API-021): a template may have been copied from a pod.
func (o *createdWhole) lacksOf(pod *corev1.Pod, template *corev1.PodTemplateSpec) string {
	labels := maps.Clone(template.Labels)
	delete(labels, o.label)
	delete(labels, history.TemplateGenerationLabel)
	wanted := *template
	wanted.Labels = labels
	return history.LacksOfTemplate(pod, &wanted)
}
