package revisions

import (
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Adopts is HISTORY-026: a DaemonSet takes over the pods of its template that one before it left behind at least Lag ago, and creates none beside them.
func Adopts() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-026",
		Kind:        judge.Prohibition,
		Promise:     "no pod is created where one of the same template was left behind",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  []judge.Situation{situation.Rollout(), situation.NoRollout()},
		New: func(history.Header) judge.Observer {
			return &adopts{released: map[types.UID]time.Time{}, left: map[types.UID]time.Time{}}
		},
	}
}

type adopts struct {
	judge.Exercise
	// released is when pods lost their controller; left are those that had when the newest DaemonSet was created.
	released, left map[types.UID]time.Time
}

// Observe implements judge.Observer.
func (o *adopts) Observe(s *judge.Scene) []judge.Violation {
	switch object := s.Change.Object.(type) {
	case *appsv1.DaemonSet:
		if s.Change.Type == watch.Added {
			o.left = maps.Clone(o.released)
		}
	case *corev1.Pod:
		o.pod(s, object)
	}
	if s.Created == nil || len(o.left) == 0 {
		return nil
	}
	pod := s.Created.Pod
	template := &pod.Workload.Object.Spec.Template
	for uid, released := range o.left {
		other := s.Cluster.Pods[uid]
		if s.Lately(released) || other == nil || !history.IsLive(other) || history.NodeOf(other) != pod.Node.Name || !pod.Workload.Adopts(other) {
			continue
		}
		o.PutToTest()
		if s.Cluster.Matches(pod.Object, template) && history.MatchesTemplate(other, template) {
			return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created beside %s, which was left behind", pod.Object.Name, other.Name))
		}
	}
	return nil
}

// pod follows a pod's loss of its controller. One that was left behind and is adopted is what the promise asks for.
func (o *adopts) pod(s *judge.Scene, pod *corev1.Pod) {
	before, ok := s.Change.Before.(*corev1.Pod)
	if !ok {
		return
	}
	was, is := metav1.GetControllerOf(before), metav1.GetControllerOf(pod)
	switch {
	case s.Change.Type == watch.Deleted:
		delete(o.released, pod.UID)
		delete(o.left, pod.UID)
	case was != nil && is == nil:
		o.released[pod.UID] = s.Now
	case was == nil && is != nil:
		if !o.left[pod.UID].IsZero() {
			o.PutToTest()
		}
		delete(o.released, pod.UID)
		delete(o.left, pod.UID)
	}
}
