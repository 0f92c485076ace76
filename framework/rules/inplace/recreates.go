package inplace

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Patches is INPLACE-003, as far as what can be patched is not deleted. Duplicates, and pods of nodes that should not run them, go in any case.
func Patches() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-003",
		Kind:        judge.Prohibition,
		Promise:     "an old pod that differs from the template in images alone is not deleted, where the DaemonSet asks for patches",
		Needs:       everything(),
		Situations:  patching(),
		New:         func(history.Header) judge.Observer { return &recreates{} },
	}
}

type recreates struct {
	judge.Exercise
	lost lostHistories
}

// Observe implements judge.Observer.
func (o *recreates) Observe(s *judge.Scene) []judge.Violation {
	o.lost.see(s)
	if s.Patched != nil && s.Patched.Voluntary {
		o.PutToTest()
		return nil
	}
	if s.Removed == nil || !s.Removed.Voluntary || !s.Removed.Wanted {
		return nil
	}
	pod := s.Removed.Pod
	before, isPod := s.Change.Before.(*corev1.Pod)
	if !isPod || len(pod.Node.LivePods(pod)) > 0 || !o.patchable(s, pod.Workload, before) || s.Lately(pod.ReadySince()) {
		return nil
	}
	o.PutToTest()
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s deleted, which differs from the template in images alone", before.Name))
}

// patchable reports whether whatever settings and templates the implementation may be acting by, the pod has to be patched.
func (o *recreates) patchable(s *judge.Scene, w *judge.Workload, pod *corev1.Pod) bool {
	if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
		return false
	}
	from := s.Cluster.Template(w.Object.UID, s.Cluster.RevisionOf(pod))
	return from != nil && !o.lost.held(s, from) && s.Cluster.Matches(pod, from) && w.Always(s.Now, func(settings judge.Settings) bool {
		to := s.Cluster.Template(w.Object.UID, settings.Template)
		return settings.InPlace && settings.Rolling && settings.Yielding && to != nil && history.OnlyImagesDiffer(from, to)
	})
}
