package united

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
		New: func(history.Header) judge.Observer {
			return &oneMember{families: newFamilies(), surging: newSurging(), created: map[types.UID]time.Time{}}
		},
	}
}

type oneMember struct {
	judge.Exercise
	families
	surging surging
	// created is when the pods of families were.
	created map[types.UID]time.Time
	// crossed are pods whose creations crossed: each controller may not have heard of the other's. One of them has to go.
	crossed []crossing
}

// crossing is a pod that was created beside one of less than judge.Lag before.
type crossing struct {
	first, second *corev1.Pod
	at            time.Time
}

// Observe implements judge.Observer.
func (o *oneMember) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	o.surging.learn(s)
	return append(o.lasting(s), o.beside(s)...)
}

// beside returns a violation for a pod that is created beside one of another member.
func (o *oneMember) beside(s *judge.Scene) []judge.Violation {
	pod, ok := s.Change.Object.(*corev1.Pod)
	if !ok || s.Change.Type != watch.Added || s.Change.Before != nil {
		return nil
	}
	family := o.familyOf(pod)
	if family == "" || o.meddled || o.surging.may(s, family) {
		return nil
	}
	o.created[pod.UID] = s.Now
	node := history.NodeOf(pod)
	for _, other := range o.on(s, family, node) {
		if other.UID == pod.UID || metav1.GetControllerOf(other).UID == metav1.GetControllerOf(pod).UID {
			continue
		}
		if at, known := o.created[other.UID]; known && s.Lately(at) {
			o.crossed = append(o.crossed, crossing{other, pod, s.Now})
			return nil
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

// lasting returns a violation for each two pods whose creations crossed, and neither of which went in time.
func (o *oneMember) lasting(s *judge.Scene) []judge.Violation {
	var found []judge.Violation
	o.crossed = slices.DeleteFunc(o.crossed, func(c crossing) bool {
		since := c.at
		if working := s.WorkingSince(); working.After(since) {
			since = working
		}
		live := func(pod *corev1.Pod) bool {
			return s.Cluster.Pods[pod.UID] != nil && history.IsLive(s.Cluster.Pods[pod.UID])
		}
		switch {
		case o.meddled:
			return true
		case !live(c.first), !live(c.second):
			o.PutToTest()
			return true
		case s.Interrupted(), s.Now.Before(s.Allowed(since, judge.Lag+judge.Prompt)):
			return false
		}
		found = append(found, judge.Violation{
			Node: history.NodeOf(c.second), Window: s.ThisEntry(),
			Got: fmt.Sprintf("pods %s of DaemonSet %s and %s of DaemonSet %s, created at once, and neither deleted %s later",
				c.first.Name, metav1.GetControllerOf(c.first).Name, c.second.Name, metav1.GetControllerOf(c.second).Name, s.Now.Sub(c.at).Round(time.Millisecond)),
		})
		return true
	})
	return found
}
