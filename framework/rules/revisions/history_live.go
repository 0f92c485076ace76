package revisions

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryLive is HISTORY-017: also above revisionHistoryLimit. One of two histories with the same label may go (HISTORY-011).
func HistoryLive() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-017",
		Kind:        judge.Prohibition,
		Promise:     "a ControllerRevision is never deleted while a pod of its DaemonSet carries its label",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision, history.KindPod},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Rollout()},
		New: func(header history.Header) judge.Observer {
			return &historyLive{label: header.RevisionLabel, labelled: map[types.UID]string{}}
		},
	}
}

type historyLive struct {
	judge.Exercise
	label string
	// labelled are the labels that histories last had: one that is taken away is to be given back (HISTORY-013).
	labelled map[types.UID]string
}

// Observe implements judge.Observer.
func (o *historyLive) Observe(s *judge.Scene) []judge.Violation {
	if revision, is := s.Change.Object.(*appsv1.ControllerRevision); is && revision.Labels[o.label] != "" {
		o.labelled[revision.UID] = revision.Labels[o.label]
	}
	w, before := deletedOf(s)
	if w == nil || o.labelled[before.UID] == "" {
		return nil
	}
	label := o.labelled[before.UID]
	o.PutToTest()
	if o.duplicated(s, before, label) {
		return nil
	}
	var holders []*judge.Pod
	for _, node := range w.Nodes {
		for _, pod := range node.Pods {
			if pod.Object.Labels[o.label] == label && o.holds(s, pod) {
				holders = append(holders, pod)
			}
		}
	}
	if len(holders) == 0 {
		return nil
	}
	slices.SortFunc(holders, judge.ByAge)
	first := holders[0]
	got := fmt.Sprintf("%s deleted, used by %d pods, one being %s", before.Name, len(holders), first.Object.Name)
	return []judge.Violation{{Node: first.Node.Name, Got: got, Window: s.Window(w, first)}}
}

// duplicated reports whether another history of the DaemonSet has the label.
func (o *historyLive) duplicated(s *judge.Scene, deleted *appsv1.ControllerRevision, label string) bool {
	for _, other := range s.Cluster.Revisions {
		if other.UID != deleted.UID && other.DeletionTimestamp == nil && other.Labels[o.label] == label &&
			metav1.IsControlledBy(other, s.Workloads()[metav1.GetControllerOf(deleted).UID].Object) {
			return true
		}
	}
	return false
}

// holds reports whether the pod keeps its history: not one that has ended and is being removed, nor one that the harness just changed.
func (o *historyLive) holds(s *judge.Scene, pod *judge.Pod) bool {
	if history.IsTerminal(pod.Object) && pod.Object.DeletionTimestamp != nil {
		return false
	}
	return !s.HarnessTouched(pod.Object, judge.Lag)
}
