package united

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// OneMember is CROSS-006. With maxSurge on the target a node that changes hands may have a pod of either member, as in a rollout.
func OneMember() judge.Rule {
	return judge.Rule{
		Requirement: "CROSS-006",
		Kind:        judge.Prohibition,
		Promise:     "no node has pods of two members of a family, unless the target surges",
		Needs:       needs(),
		Situations:  []judge.Situation{situation.CordonedElsewhere(), situation.Rollout()},
		New:         func(history.Header) judge.Observer { return &oneMember{families: newFamilies(), surging: newSurging()} },
	}
}

type oneMember struct {
	judge.Exercise
	families
	surging surging
}

// Observe implements judge.Observer.
func (o *oneMember) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	o.surging.learn(s)
	pod, ok := s.Change.Object.(*corev1.Pod)
	if !ok || s.Change.Type != watch.Added || s.Change.Before != nil {
		return nil
	}
	family := o.familyOf(pod)
	if family == "" || o.meddled || o.surging.may(s, family) {
		return nil
	}
	node := history.NodeOf(pod)
	for _, other := range o.on(s, family, node) {
		if other.UID == pod.UID || metav1.GetControllerOf(other).UID == metav1.GetControllerOf(pod).UID {
			continue
		}
		return []judge.Violation{{
			Node: node, Window: s.ThisEntry(),
			Got: fmt.Sprintf("pod %s of DaemonSet %s created beside pod %s of DaemonSet %s", pod.Name, metav1.GetControllerOf(pod).Name, other.Name, metav1.GetControllerOf(other).Name),
		}}
	}
	if len(o.of) > 1 && metav1.GetControllerOf(pod).UID != family {
		o.PutToTest()
	}
	return nil
}
