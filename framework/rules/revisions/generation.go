package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Generation is API-021, for pods of templates that have been in force for Lag. Templates of other workloads have no generation.
func Generation() judge.Rule {
	return judge.Rule{
		Requirement: "API-021",
		Kind:        judge.Prohibition,
		Promise:     "a daemon pod is created with the generation of its template as a label",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Restarted(), situation.WithSurge(), situation.WithUnavailable(), situation.OnDelete()},
		New:         func(history.Header) judge.Observer { return &generation{} },
	}
}

type generation struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *generation) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	pod := s.Created.Pod
	want := pod.Workload.Object.Annotations[appsv1.DeprecatedTemplateGeneration]
	if want == "" || s.Lately(pod.Workload.ChangedAt()) {
		return nil
	}
	o.PutToTest()
	if got := pod.Object.Labels[history.TemplateGenerationLabel]; got != want {
		return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created with generation %q, want %q", pod.Object.Name, got, want))
	}
	return nil
}
