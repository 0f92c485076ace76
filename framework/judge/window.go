package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// windowLimit bounds a violation's window: what fits on a screen.
const windowLimit = 12

// moment is an entry with its place in the history. Whoever has to tell of an entry later keeps it: of a history that is judged while it is made nothing else
// is left.
type moment struct {
	history.Entry
	index int
}

// Window returns the entries that tell the pods' lives, the change of template they are about, and the step itself. Where they are too
// many, the pods' beginnings and the latest remain.
func (s *Scene) Window(w *Workload, pods ...*Pod) []history.Entry {
	keep := map[int]history.Entry{s.step.index: s.step.Entry}
	var rest []moment
	if w != nil {
		keep[w.rolledBy.index] = w.rolledBy.Entry
	}
	for _, pod := range pods {
		if len(keep) < windowLimit {
			keep[pod.entered.index] = pod.entered.Entry
		}
		rest = append(rest, pod.later...)
	}
	slices.SortFunc(rest, func(a, b moment) int { return a.index - b.index })
	for i := len(rest) - 1; i >= 0 && len(keep) < windowLimit; i-- {
		keep[rest[i].index] = rest[i].Entry
	}
	window := make([]history.Entry, 0, len(keep))
	for _, index := range slices.Sorted(maps.Keys(keep)) {
		window = append(window, keep[index])
	}
	return window
}

// ThisEntry is the window of a violation that the step alone shows.
func (s *Scene) ThisEntry() []history.Entry { return []history.Entry{s.step.Entry} }

// OnNode is the violation of a promise about a node, told with the node's state around the step and the lives of its pods, and of others.
func (s *Scene) OnNode(w *Workload, node *Node, got string, others ...*Pod) []Violation {
	before, after := s.states(w, node)
	return []Violation{{
		Node: node.Name, Got: got, Before: before, After: after, Window: s.Window(w, slices.Concat(node.Everyone(), others)...),
	}}
}

// states tells the node's pods before and after the step.
func (s *Scene) states(w *Workload, node *Node) (before, after string) {
	var were, are []string
	for _, pod := range node.Pods {
		are = append(are, s.describe(w, pod, pod.Object))
	}
	for _, pod := range node.Everyone() {
		was := pod.Object
		if s.Change.Kind == history.KindPod && s.Change.Object.GetUID() == was.UID {
			changed, ok := s.Change.Before.(*corev1.Pod)
			if !ok {
				continue
			}
			was = changed
		} else if pod.gone() {
			continue
		}
		were = append(were, s.describe(w, pod, was))
	}
	return list(were), list(are)
}

func list(words []string) string {
	if len(words) == 0 {
		return "no pod"
	}
	return strings.Join(words, "; ")
}

// describe tells a pod's state in words, for example "agent-x7f updated, Ready for 3s of 10s".
func (s *Scene) describe(w *Workload, pod *Pod, object *corev1.Pod) string {
	kind := "old"
	if s.Cluster.IsUpdated(object) {
		kind = "updated"
	}
	return fmt.Sprintf("%s %s, %s", object.Name, kind, s.Condition(w, pod, object))
}

// Condition is the pod's state in words, for example "Ready for 3s of 10s".
func (s *Scene) Condition(w *Workload, pod *Pod, object *corev1.Pod) string {
	minReady := w.Settings.MinReady
	switch {
	case history.IsTerminal(object):
		return string(object.Status.Phase)
	case object.DeletionTimestamp != nil && history.IsReady(object):
		return "terminating, Ready"
	case object.DeletionTimestamp != nil:
		return "terminating"
	case !history.IsReady(object):
		return "not Ready"
	}
	from, ok := history.AvailableFrom(object, minReady)
	if ok && !s.Now.Before(from) {
		return "available"
	}
	if !ok {
		return "Ready since no known time"
	}
	wanted := time.Duration(minReady) * time.Second
	return fmt.Sprintf("Ready for %s of %s", (wanted - from.Sub(s.Now)).Round(time.Millisecond), wanted)
}

// StatusNumbers are a status' numbers of nodes, in words.
func StatusNumbers(status appsv1.DaemonSetStatus) string {
	return fmt.Sprintf("desired %d, current %d, ready %d, available %d, unavailable %d, updated %d, misscheduled %d, observed generation %d",
		status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.NumberReady, status.NumberAvailable, status.NumberUnavailable,
		status.UpdatedNumberScheduled, status.NumberMisscheduled, status.ObservedGeneration)
}
