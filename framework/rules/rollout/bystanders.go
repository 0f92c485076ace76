package rollout

import (
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Bystanders is TARGET-003. Nobody sees who writes; so what is judged is what nobody else does: deleting a pod that no DaemonSet controls, changing its labels, or
// taking its owner from it, without an act of the harness. Adopting a pod that belongs to nobody and fits the selector is lawful.
func Bystanders() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-003",
		Kind:        judge.Prohibition,
		Promise:     "pods that the DaemonSet does not own are neither deleted nor changed",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  and(strategies(), situation.Rollout(), situation.RolledBack()),
		New: func(history.Header) judge.Observer {
			return &bystanders{alive: map[types.UID]bool{}, released: map[types.UID]time.Time{}, steered: map[string]bool{}}
		},
	}
}

type bystanders struct {
	judge.Exercise
	// alive are the bystanders there are.
	alive map[types.UID]bool
	// released is when somebody else took pods from the DaemonSet that controlled them: the implementation may not know of it yet.
	released map[types.UID]time.Time
	// steered are the namespaces in which the harness acts on other workloads, whose controllers then act on their pods.
	steered map[string]bool
}

// Observe implements judge.Observer.
func (o *bystanders) Observe(s *judge.Scene) []judge.Violation {
	if stimulus := s.Change.Stimulus; stimulus != nil {
		switch stimulus.Kind {
		case history.KindPod, history.KindNode, history.KindDaemonSet, history.KindControllerRevision, history.KindPodDisruptionBudget,
			history.KindUnitedDaemonSet:
		default:
			o.steered[stimulus.Namespace] = true
		}
		return nil
	}
	pod, ok := s.Change.Object.(*corev1.Pod)
	if !ok {
		return nil
	}
	if len(o.alive) > 0 && (s.Created != nil || s.Removed != nil && s.Removed.Voluntary) {
		o.PutToTest()
	}
	before, _ := s.Change.Before.(*corev1.Pod)
	delete(o.alive, pod.UID)
	if s.Change.Type != watch.Deleted && isBystander(pod) && history.IsLive(pod) {
		o.alive[pod.UID] = true
	}
	if before != nil && releasedByOthers(s, before, pod) {
		o.released[pod.UID] = s.Now
	}
	if before == nil || !isBystander(before) || s.Lately(o.released[pod.UID]) || o.othersDoing(s, before) {
		return nil
	}
	got := o.deleted(s, before, pod)
	if got == "" {
		got = o.changed(s, before, pod)
	}
	if got == "" {
		return nil
	}
	return []judge.Violation{{
		Node: history.NodeOf(before), Got: fmt.Sprintf("pod %s, owned by %s, %s", before.Name, ownerOf(before), got),
		Before: told(before), After: told(pod), Window: s.ThisEntry(),
	}}
}

// releasedByOthers reports whether the pod loses the DaemonSet that controls it, and not by the implementation's doing: the garbage collector lets those of a DaemonSet
// go that is deleted.
func releasedByOthers(s *judge.Scene, before, pod *corev1.Pod) bool {
	if isBystander(before) || !isBystander(pod) {
		return false
	}
	w := s.Workloads()[metav1.GetControllerOf(before).UID]
	return w == nil || !w.Live() || !s.ChangedByImplementation(before)
}

// isBystander reports whether no DaemonSet controls the pod.
func isBystander(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner == nil || owner.Kind != "DaemonSet"
}

// othersDoing reports whether the pod's own controller, or whoever looks after ended pods, may be at work.
func (o *bystanders) othersDoing(s *judge.Scene, pod *corev1.Pod) bool {
	if history.IsTerminal(pod) || pod.DeletionTimestamp != nil || len(s.Workloads()) == 0 {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && (o.steered[pod.Namespace] || o.steered[""] || len(s.Cluster.StimuliOn(owner.UID)) > 0)
}

func (o *bystanders) deleted(s *judge.Scene, before, after *corev1.Pod) string {
	if s.Change.Type != watch.Deleted && after.DeletionTimestamp == nil {
		return ""
	}
	if !s.DeletedByImplementation(before) {
		return ""
	}
	return "deleted"
}

func (o *bystanders) changed(s *judge.Scene, before, after *corev1.Pod) string {
	if s.Change.Type == watch.Deleted || !s.ChangedByImplementation(before) {
		return ""
	}
	was, is := metav1.GetControllerOf(before), metav1.GetControllerOf(after)
	switch {
	case was != nil && is == nil:
		return "taken from its owner"
	case is == nil || was != nil && was.UID == is.UID:
		if !maps.Equal(ownLabels(before), ownLabels(after)) {
			return "relabelled"
		}
		return ""
	}
	adopter := s.Workloads()[is.UID]
	if adopter == nil {
		return ""
	}
	if was != nil {
		return "taken over by DaemonSet " + is.Name
	}
	// Whoever adopts a pod may label it in the same request: it is the DaemonSet's then.
	selector, err := metav1.LabelSelectorAsSelector(adopter.Object.Spec.Selector)
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
