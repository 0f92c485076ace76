package judge

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// HistoryLive is HISTORY-017: also above revisionHistoryLimit. One of two histories with the same label may go (HISTORY-011).
func HistoryLive() Judge {
	return Judge{
		Requirement: "HISTORY-017",
		Promise:     "a ControllerRevision is never deleted while a pod of its DaemonSet carries its label",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision, history.KindPod},
		New:         func(header history.Header) Observer { return &historyLive{label: header.RevisionLabel} },
	}
}

type historyLive struct {
	exercised
	label string
}

// Observe implements Observer.
func (o *historyLive) Observe(s *Scene) []Violation {
	deleted, ok := s.Change.Object.(*appsv1.ControllerRevision)
	if !ok {
		return nil
	}
	before, _ := s.Change.Before.(*appsv1.ControllerRevision)
	if before == nil || before.DeletionTimestamp != nil || s.Change.Type != watch.Deleted && deleted.DeletionTimestamp == nil {
		return nil
	}
	owner, label := metav1.GetControllerOf(before), before.Labels[o.label]
	inferred := func() bool { return !s.memory.blame.harnessDeletes(history.KindControllerRevision, before, "") }
	if owner == nil || label == "" || !byImplementation(s.Change.Entry, inferred) {
		return nil
	}
	w := s.memory.workloads[owner.UID]
	if w == nil || !w.live() {
		return nil
	}
	o.yes = true
	if o.duplicated(s, before) {
		return nil
	}
	var holders []*podState
	for _, node := range w.nodes {
		for _, pod := range node.pods {
			if pod.object.Labels[o.label] == label && o.holds(s, pod) {
				holders = append(holders, pod)
			}
		}
	}
	if len(holders) == 0 {
		return nil
	}
	slices.SortFunc(holders, func(a, b *podState) int { return a.entries[0] - b.entries[0] })
	first := holders[0]
	got := fmt.Sprintf("%s deleted, used by %d pods, one being %s", before.Name, len(holders), first.object.Name)
	return []Violation{{Node: first.node.name, Got: got, Window: s.window(w, first)}}
}

// duplicated tells whether another history of the DaemonSet has the label.
func (o *historyLive) duplicated(s *Scene, deleted *appsv1.ControllerRevision) bool {
	for _, other := range s.Cluster.Revisions {
		if other.UID != deleted.UID && other.DeletionTimestamp == nil && other.Labels[o.label] == deleted.Labels[o.label] &&
			metav1.IsControlledBy(other, s.memory.workloads[metav1.GetControllerOf(deleted).UID].object) {
			return true
		}
	}
	return false
}

// holds tells whether the pod keeps its history: not one that has ended and is being removed, nor one that the harness just changed.
func (o *historyLive) holds(s *Scene, pod *podState) bool {
	if history.IsTerminal(pod.object) && pod.object.DeletionTimestamp != nil {
		return false
	}
	return !s.harnessTouched(pod.object, Lag)
}
