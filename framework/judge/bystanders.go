package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Bystanders is TARGET-003. Nobody sees who writes; so what is judged is what nobody else does: deleting a pod that no DaemonSet controls, changing its labels, or
// taking its owner from it, without an act of the harness. Adopting a pod that belongs to nobody and fits the selector is lawful.
func Bystanders() Judge {
	return Judge{
		Requirement: "TARGET-003",
		Promise:     "pods that the DaemonSet does not own are neither deleted nor changed",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New: func(history.Header) Observer {
			return &bystanders{alive: map[types.UID]bool{}, steered: map[string]bool{}}
		},
	}
}

type bystanders struct {
	exercised
	// alive are the bystanders there are.
	alive map[types.UID]bool
	// steered are the namespaces in which the harness acts on other workloads, whose controllers then act on their pods.
	steered map[string]bool
}

// Observe implements Observer.
func (o *bystanders) Observe(s *Scene) []Violation {
	if stimulus := s.Change.Stimulus; stimulus != nil {
		switch stimulus.Kind {
		case history.KindPod, history.KindNode, history.KindDaemonSet, history.KindControllerRevision, history.KindPodDisruptionBudget:
		default:
			o.steered[stimulus.Namespace] = true
		}
		return nil
	}
	pod, ok := s.Change.Object.(*corev1.Pod)
	if !ok {
		return nil
	}
	if len(o.alive) > 0 && (s.created != nil || s.removed != nil && s.removed.voluntary) {
		o.yes = true
	}
	before, _ := s.Change.Before.(*corev1.Pod)
	delete(o.alive, pod.UID)
	if s.Change.Type != watch.Deleted && isBystander(pod) && history.IsLive(pod) {
		o.alive[pod.UID] = true
	}
	if before == nil || !isBystander(before) || o.othersDoing(s, before) {
		return nil
	}
	got := o.deleted(s, before, pod)
	if got == "" {
		got = o.changed(s, before, pod)
	}
	if got == "" {
		return nil
	}
	return []Violation{{
		Node: history.NodeOf(before), Got: fmt.Sprintf("pod %s, owned by %s, %s", before.Name, ownerOf(before), got),
		Before: told(before), After: told(pod), Window: s.entries(map[int]bool{s.index: true}),
	}}
}

// isBystander tells whether no DaemonSet controls the pod.
func isBystander(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner == nil || owner.Kind != "DaemonSet"
}

// othersDoing tells whether the pod's own controller, or whoever looks after ended pods, may be at work.
func (o *bystanders) othersDoing(s *Scene, pod *corev1.Pod) bool {
	if history.IsTerminal(pod) || pod.DeletionTimestamp != nil || len(s.memory.workloads) == 0 {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && (o.steered[pod.Namespace] || o.steered[""] || len(s.Cluster.StimuliOn(owner.UID)) > 0)
}

func (o *bystanders) deleted(s *Scene, before, after *corev1.Pod) string {
	if s.Change.Type != watch.Deleted && after.DeletionTimestamp == nil {
		return ""
	}
	if !s.memory.blame.deletes(before, s.Change, s.Cluster, s.Now) {
		return ""
	}
	return "deleted"
}

func (o *bystanders) changed(s *Scene, before, after *corev1.Pod) string {
	inferred := func() bool { return !s.harnessTouched(before, time.Duration(1<<62)) }
	if s.Change.Type == watch.Deleted || !byImplementation(s.Change.Entry, inferred) {
		return ""
	}
	if !maps.Equal(ownLabels(before), ownLabels(after)) {
		return "relabelled"
	}
	was, is := metav1.GetControllerOf(before), metav1.GetControllerOf(after)
	switch {
	case was != nil && is == nil:
		return "taken from its owner"
	case is == nil || was != nil && was.UID == is.UID:
		return ""
	}
	adopter := s.memory.workloads[is.UID]
	if adopter == nil {
		return ""
	}
	if was != nil {
		return "taken over by DaemonSet " + is.Name
	}
	selector, err := metav1.LabelSelectorAsSelector(adopter.object.Spec.Selector)
	if err == nil && !selector.Matches(labels.Set(before.Labels)) {
		return "adopted by DaemonSet " + is.Name + ", whose selector it does not match"
	}
	return ""
}

// ownLabels are the pod's labels but for those that the API server copies from the node when the pod is bound.
func ownLabels(pod *corev1.Pod) map[string]string {
	own := maps.Clone(pod.Labels)
	maps.DeleteFunc(own, func(key, _ string) bool { return strings.HasPrefix(key, "topology.k") })
	return own
}

func ownerOf(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "nobody"
	}
	return owner.Kind + " " + owner.Name
}

func told(pod *corev1.Pod) string {
	words := []string{fmt.Sprintf("labels %s", labels.Set(pod.Labels)), "owned by " + ownerOf(pod)}
	if pod.DeletionTimestamp != nil {
		words = append(words, "terminating")
	}
	return strings.Join(words, ", ")
}

// harnessTouched tells whether the harness acted on the pod, other than to create it, within the time.
func (s *Scene) harnessTouched(pod *corev1.Pod, within time.Duration) bool {
	named := string(history.KindPod) + "/" + pod.Namespace + "/" + pod.Name
	for _, entries := range [][]history.Entry{s.Cluster.StimuliOn(pod.UID), s.Cluster.Stimuli[named]} {
		if slices.ContainsFunc(entries, func(entry history.Entry) bool {
			return !entry.Stimulus.Act.Creates() && s.Now.Sub(entry.Time) < within
		}) {
			return true
		}
	}
	return false
}
