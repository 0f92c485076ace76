package inplace

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// InitContainers is INPLACE-005, as far as such pods are not patched: an init container has run by then, and one that is always restarted has been started
// before the containers, which take it to be there.
func InitContainers() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-005",
		Kind:        judge.Prohibition,
		Promise:     "no init container of a pod gets another image",
		Needs:       everything(),
		Situations:  patching(),
		New:         func(history.Header) judge.Observer { return &initContainers{} },
	}
}

type initContainers struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *initContainers) Observe(s *judge.Scene) []judge.Violation {
	if s.Removed != nil && s.Removed.Voluntary && s.Removed.Pod.Workload.Settings.InPlace && outdatedInit(s, s.Removed.Pod) {
		o.PutToTest()
	}
	after, isPod := s.Change.Object.(*corev1.Pod)
	before, _ := s.Change.Before.(*corev1.Pod)
	if !isPod || before == nil || s.Change.Type == watch.Deleted || !history.InitImagesDiffer(before, after) || !s.ChangedByImplementation(before) {
		return nil
	}
	pod := s.Pod(after.UID)
	if pod == nil {
		return nil
	}
	o.PutToTest()
	return s.OnNode(pod.Workload, pod.Node, after.Name+" got another image of an init container")
}

// outdatedInit reports whether the template in force has another image for an init container of the pod.
func outdatedInit(s *judge.Scene, pod *judge.Pod) bool {
	template := s.Cluster.Template(pod.Workload.Object.UID, pod.Workload.Settings.Template)
	return template != nil && history.InitImagesDiffer(pod.Object, &corev1.Pod{Spec: template.Spec})
}
