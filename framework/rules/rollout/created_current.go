package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

type createdCurrent struct {
	judge.Exercise
	// about reports whether the creation is one that the promise is about.
	about func(*judge.Scene) bool
}

// joined: the node has had no other pod, and the DaemonSet has had another template.
func joined(s *judge.Scene) bool {
	pod := s.Created.Pod
	return pod.Workload.Settings.Template > 0 && len(pod.Node.Everyone()) == 1
}

// replacesUnready: a live pod is beside it that is not Ready, with maxSurge.
func replacesUnready(s *judge.Scene) bool {
	if !s.ZeroDowntime(s.Created.Pod.Workload) {
		return false
	}
	for _, pod := range s.Created.Beside {
		if !history.IsReady(pod.Object) {
			return true
		}
	}
	return false
}

// Observe implements judge.Observer.
func (o *createdCurrent) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil || !o.about(s) {
		return nil
	}
	o.PutToTest()
	pod := s.Created.Pod
	revision := s.Cluster.RevisionOf(pod.Object)
	if revision == history.NoRevision || s.InForce(pod.Workload, revision) {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created from an older template", pod.Object.Name))
}
