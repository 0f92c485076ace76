package matchers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Event is something that can happen in a history, any number of times.
type Event struct {
	text string
	// find returns the occurrences in order.
	find func(*history.History) []Occurrence
}

// String says what the event is, in words.
func (e Event) String() string { return e.text }

// Count tells how often the event happens.
func (e Event) Count(h *history.History) int { return len(e.find(h)) }

// Occurrence is one time that an event happened.
type Occurrence struct {
	history.Change
	// At is when: for a change when the harness received it, for a pod that became available by waiting the instant itself.
	At time.Time

	index   int
	between bool
	cluster *history.Cluster
}

// compare orders occurrences as the history does; what happened by the passage of time comes before the entry that follows it.
func (o Occurrence) compare(other Occurrence) int {
	if order := cmp.Compare(o.index, other.index); order != 0 {
		return order
	}
	return cmp.Compare(boolToInt(!o.between), boolToInt(!other.between))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// on makes an event of the changes that the predicate picks. The predicate sees the cluster as the change left it.
func on(text string, is func(*history.Cluster, history.Change) bool) Event {
	return Event{text: text, find: func(h *history.History) []Occurrence {
		var found []Occurrence
		index := 0
		h.Replay(func(cluster *history.Cluster, change history.Change) {
			if is(cluster, change) {
				found = append(found, Occurrence{Change: change, At: change.Time, index: index, cluster: cluster})
			}
			index++
		})
		return found
	}}
}

// Where keeps those occurrences of which the predicate is true; it may ask the occurrence for the state of the cluster at the time.
func (e Event) Where(text string, is func(Occurrence) bool) Event {
	return Event{text: e.text + ", " + text, find: func(h *history.History) []Occurrence {
		return e.replayed(h, is)
	}}
}

// On keeps those occurrences that are felt on the node.
func (e Event) On(node string) Event {
	return Event{text: e.text + " on " + node, find: func(h *history.History) []Occurrence {
		return keep(e.find(h), func(o Occurrence) bool { return o.Node() == node })
	}}
}

func keep(all []Occurrence, is func(Occurrence) bool) []Occurrence {
	return slices.DeleteFunc(slices.Clone(all), func(o Occurrence) bool { return !is(o) })
}

// replayed finds the occurrences again while the history is replayed, so that the predicate can look at the cluster as it was.
func (e Event) replayed(h *history.History, is func(Occurrence) bool) []Occurrence {
	pending := e.find(h)
	var found []Occurrence
	index := 0
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		for len(pending) > 0 && pending[0].index == index {
			occurrence := pending[0]
			occurrence.cluster = cluster
			if is(occurrence) {
				found = append(found, occurrence)
			}
			pending = pending[1:]
		}
		index++
	})
	return found
}

// Pod is the pod that the event is about, or nil.
func (o Occurrence) Pod() *corev1.Pod {
	pod, _ := o.Object.(*corev1.Pod)
	return pod
}

// Node is the node on which the event is felt, or empty.
func (o Occurrence) Node() string {
	switch object := o.Object.(type) {
	case *corev1.Pod:
		return history.NodeOf(object)
	case *corev1.Node:
		return object.Name
	}
	if o.Stimulus != nil {
		return o.Stimulus.Node
	}
	if o.Measurement != nil {
		return o.Measurement.Node
	}
	return ""
}

// Owner is the DaemonSet that controls the pod, or nil. Only inside Where.
func (o Occurrence) Owner() *appsv1.DaemonSet {
	if o.Pod() == nil {
		return nil
	}
	return o.cluster.OwnerOf(o.Pod())
}

// PodsBeside are the other pods of the DaemonSet on the pod's node, whatever their phase. Only inside Where.
func (o Occurrence) PodsBeside() []*corev1.Pod {
	owner := o.Owner()
	if owner == nil {
		return nil
	}
	return slices.DeleteFunc(o.cluster.PodsOn(owner.UID, o.Node()), func(pod *corev1.Pod) bool { return pod.UID == o.Pod().UID })
}

// LivePodsBeside are those PodsBeside that are neither terminating nor terminal. Only inside Where.
func (o Occurrence) LivePodsBeside() []*corev1.Pod {
	return slices.DeleteFunc(o.PodsBeside(), func(pod *corev1.Pod) bool { return !history.IsLive(pod) })
}

// WasAvailable tells whether the pod was available until this happened. Only inside Where.
func (o Occurrence) WasAvailable() bool {
	before, _ := o.Before.(*corev1.Pod)
	owner := o.Owner()
	return before != nil && owner != nil && history.IsAvailable(before, owner.Spec.MinReadySeconds, o.At)
}

// AvailableBeside counts those PodsBeside that are available. Only inside Where.
func (o Occurrence) AvailableBeside() int {
	available := 0
	for _, pod := range o.PodsBeside() {
		available += boolToInt(history.IsAvailable(pod, o.Owner().Spec.MinReadySeconds, o.At))
	}
	return available
}

// AvailableBefore counts the DaemonSet's pods that were available until this happened. Only inside Where.
func (o Occurrence) AvailableBefore() int {
	owner := o.Owner()
	if owner == nil {
		return 0
	}
	available := boolToInt(o.WasAvailable())
	for _, node := range o.cluster.NodesOf(owner.UID) {
		for _, pod := range o.cluster.PodsOn(owner.UID, node) {
			if pod.UID != o.Pod().UID && history.IsAvailable(pod, owner.Spec.MinReadySeconds, o.At) {
				available++
			}
		}
	}
	return available
}

// Desired is the number of nodes that should run the DaemonSet's pod. Only inside Where.
func (o Occurrence) Desired() int {
	if owner := o.Owner(); owner != nil {
		return o.cluster.Desired(owner.UID)
	}
	return 0
}

// NodeIsEligible tells whether the DaemonSet wants a pod on the node. Only inside Where.
func (o Occurrence) NodeIsEligible() bool {
	owner := o.Owner()
	return owner != nil && o.cluster.Eligibility(owner.UID, o.Node()).ShouldRun
}

// describe is the occurrence in a few words.
func (o Occurrence) describe() string {
	if o.Stimulus != nil {
		return fmt.Sprintf("stimulus %q %s", o.Stimulus.Act, o.Stimulus.Detail)
	}
	if o.Measurement != nil {
		return fmt.Sprintf("measurement of %s: %s", o.Measurement.Target, counts(o.Measurement))
	}
	return fmt.Sprintf("%s %s %s", o.Type, o.Kind, o.Object.GetName())
}
