package rollout

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

type createdCurrent struct {
	judge.Exercise
	// about reports whether the creation is one that the promise is about.
	about func(*judge.Scene) bool
}

// edited: the DaemonSet has had another template.
func edited(s *judge.Scene) bool { return s.Created.Pod.Workload.Course().Rollout }

// replacesUnready: with maxSurge, the node has or just had a pod that is not Ready, is on its way out, has ended or is gone.
func replacesUnready(s *judge.Scene) bool {
	created := s.Created.Pod
	if !s.ZeroDowntime(created.Workload) {
		return false
	}
	return slices.ContainsFunc(created.Node.Lately(s.Now), func(other *judge.Pod) bool {
		there := slices.Contains(created.Node.Pods, other)
		return other != created && !(there && history.IsLive(other.Object) && history.IsReady(other.Object))
	})
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
