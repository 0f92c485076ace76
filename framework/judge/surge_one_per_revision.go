package judge

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeOnePerRevision is SURGE-010. Pods are of one revision if one template made them, whatever their labels say.
func SurgeOnePerRevision() Judge {
	return Judge{
		Requirement: "SURGE-010",
		Promise:     "with maxSurge a node never has two pods of one revision that are not terminating",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		New: func(header history.Header) Observer {
			return &surgeOnePerRevision{label: header.RevisionLabel}
		},
	}
}

type surgeOnePerRevision struct {
	exercised
	label string
}

// Observe implements Observer.
func (o *surgeOnePerRevision) Observe(s *Scene) []Violation {
	if s.created == nil || len(s.created.beside) == 0 {
		return nil
	}
	pod, w := s.created.pod, s.created.pod.workload
	if _, surging := w.largest(s.Now, surgeLimit); !surging {
		return nil
	}
	o.yes = true
	for _, other := range s.created.beside {
		if o.sameRevision(s.Cluster, pod, other) {
			return s.onNode(w, pod.node, fmt.Sprintf("%s created beside %s of the same revision", pod.object.Name, other.object.Name))
		}
	}
	return nil
}

// sameRevision goes by the label only where no template is known that could have made the pods.
func (o *surgeOnePerRevision) sameRevision(cluster *history.Cluster, a, b *podState) bool {
	first, second := cluster.RevisionOf(a.object), cluster.RevisionOf(b.object)
	if first == history.NoRevision && second == history.NoRevision {
		label := a.object.Labels[o.label]
		return label != "" && label == b.object.Labels[o.label]
	}
	return first == second
}
