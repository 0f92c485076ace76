package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// windowLimit bounds a violation's window: what fits on a screen.
const windowLimit = 12

// window returns the entries that tell the pods' lives, the change of template they are about, and the step itself. Where they are too
// many, the pods' beginnings and the latest remain.
func (s *Scene) window(w *workload, pods ...*podState) []history.Entry {
	keep := map[int]bool{s.index: true}
	var rest []int
	if w != nil && w.rolledBy <= s.index {
		keep[w.rolledBy] = true
	}
	for _, pod := range pods {
		if len(keep) < windowLimit {
			keep[pod.entries[0]] = true
		}
		rest = append(rest, pod.entries[1:]...)
	}
	slices.Sort(rest)
	for i := len(rest) - 1; i >= 0 && len(keep) < windowLimit; i-- {
		keep[rest[i]] = true
	}
	return s.entries(keep)
}

func (s *Scene) entries(keep map[int]bool) []history.Entry {
	indices := make([]int, 0, len(keep))
	for index := range keep {
		indices = append(indices, index)
	}
	slices.Sort(indices)
	window := make([]history.Entry, 0, len(indices))
	for _, index := range indices {
		window = append(window, s.memory.h.Entries[index])
	}
	return window
}

// everyone returns the pods that a node has or just had.
func (n *nodeState) everyone() []*podState { return slices.Concat(n.gone, n.pods) }

// onNode is the violation of a promise about a node, told with the node's state around the step and the lives of its pods, and of others.
func (s *Scene) onNode(w *workload, node *nodeState, got string, others ...*podState) []Violation {
	before, after := s.states(w, node)
	return []Violation{{
		Node: node.name, Got: got, Before: before, After: after, Window: s.window(w, slices.Concat(node.everyone(), others)...),
	}}
}

// states tells the node's pods before and after the step.
func (s *Scene) states(w *workload, node *nodeState) (before, after string) {
	var were, are []string
	for _, pod := range node.pods {
		are = append(are, s.describe(w, pod, pod.object))
	}
	for _, pod := range node.everyone() {
		was := pod.object
		if s.Change.Kind == history.KindPod && s.Change.Object.GetUID() == was.UID {
			changed, ok := s.Change.Before.(*corev1.Pod)
			if !ok {
				continue
			}
			was = changed
		} else if pod.gone {
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
func (s *Scene) describe(w *workload, pod *podState, object *corev1.Pod) string {
	kind := "old"
	if s.Cluster.IsUpdated(object) {
		kind = "updated"
	}
	return fmt.Sprintf("%s %s, %s", object.Name, kind, s.condition(w, pod, object))
}

func (s *Scene) condition(w *workload, pod *podState, object *corev1.Pod) string {
	minReady := w.settings.minReady
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
