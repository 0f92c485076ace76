package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeOnePerRevision is SURGE-010. Pods are of one revision if one template made them, whatever their labels say.
func SurgeOnePerRevision() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-010",
		Kind:        judge.Prohibition,
		Promise:     "with maxSurge a node never has two pods of one revision that are not terminating",
		Needs:       everything(),
		Situations:  beside(),
		New: judge.Both(func(header history.Header) judge.Observer {
			return &surgeOnePerRevision{label: header.RevisionLabel}
		}, judge.DueOnNodes(surgeDuplicate)),
	}
}

type surgeOnePerRevision struct {
	judge.Exercise
	label string
}

// Observe implements judge.Observer.
func (o *surgeOnePerRevision) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil || len(s.Created.Beside) == 0 {
		return nil
	}
	pod, w := s.Created.Pod, s.Created.Pod.Workload
	if _, surging := w.Largest(s.Now, judge.SurgeLimit); !surging {
		return nil
	}
	o.PutToTest()
	for _, other := range s.Created.Beside {
		if o.sameRevision(s.Cluster, pod, other) {
			return s.OnNode(w, pod.Node, fmt.Sprintf("%s created beside %s of the same revision", pod.Object.Name, other.Object.Name))
		}
	}
	return nil
}

// sameRevision goes by the label only where no template is known that could have made the pods.
func (o *surgeOnePerRevision) sameRevision(cluster *history.Cluster, a, b *judge.Pod) bool {
	first, second := cluster.RevisionOf(a.Object), cluster.RevisionOf(b.Object)
	if first == history.NoRevision && second == history.NoRevision {
		label := a.Object.Labels[o.label]
		return label != "" && label == b.Object.Labels[o.label]
	}
	return first == second
}
