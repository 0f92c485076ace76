package judge

import (
	"slices"
	"strings"
	"time"
)

// surged returns the nodes that use up maxSurge: an old pod that is available, and an updated one of the implementation's that is not, unless
// that is too new to be known. It may have been created outside the limit, when the old one was not available: from when that is, the node counts.
func (m *memory) surged(w *Workload, now time.Time) []*Node {
	low, high := w.MinReady(now)
	var nodes []*Node
	for node := range w.doubled {
		if !node.Wanted(now) {
			continue
		}
		old, updated := false, false
		for _, pod := range node.LivePods(nil) {
			switch {
			case !m.cluster.IsUpdated(pod.Object):
				old = old || pod.Steady(high, now)
			case !pod.own || pod.Believable(low, now):
			default:
				updated = true
			}
		}
		if old && updated {
			nodes = append(nodes, node)
		}
	}
	slices.SortFunc(nodes, func(a, b *Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}

// OverSurge reports whether the creation made a node use up maxSurge when none was left. It returns the nodes
// that use it, and the limit.
func (s *Scene) OverSurge() (nodes []*Node, limit int, over bool) {
	w := s.Created.Pod.Workload
	limit, surging := w.Largest(s.Now, SurgeLimit)
	if !surging {
		return nil, 0, false
	}
	nodes = s.memory.surged(w, s.Now)
	return nodes, limit, len(nodes) > limit
}

// TakesSurge reports whether the creation took something of maxSurge: an updated pod, beside an old one that has to be taken for available, where
// there was no updated pod yet.
func (s *Scene) TakesSurge() bool {
	if s.Created == nil || s.Created.Pod.outsideSurgeLimit || !s.Cluster.IsUpdated(s.Created.Pod.Object) {
		return false
	}
	if _, surging := s.Created.Pod.Workload.Largest(s.Now, SurgeLimit); !surging || !s.Created.Pod.Node.Wanted(s.Now) {
		return false
	}
	return !slices.ContainsFunc(s.Created.Beside, func(pod *Pod) bool { return s.Cluster.IsUpdated(pod.Object) })
}

// Unserved returns the eligible nodes without an available pod, unless that is too new to be known and nobody's fault.
func (s *Scene) Unserved(w *Workload) []*Node {
	low, _ := w.MinReady(s.Now)
	var nodes []*Node
	for _, node := range w.Nodes {
		if !node.Wanted(s.Now) || node.servedBy(nil, low, s.Now) {
			continue
		}
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b *Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}

// ServedUndated returns the eligible nodes that have no available pod, and one that is Ready since no known time.
func (s *Scene) ServedUndated(w *Workload) []*Node {
	low, _ := w.MinReady(s.Now)
	dated := func(pod *Pod) bool { return pod.Available(low, s.Now) || pod.LatelyAvailable(low, s.Now) }
	undated := func(pod *Pod) bool { return pod.Undated(low) }
	var nodes []*Node
	for _, node := range w.Nodes {
		if node.Wanted(s.Now) && slices.ContainsFunc(node.Pods, undated) && !slices.ContainsFunc(node.Everyone(), dated) {
			nodes = append(nodes, node)
		}
	}
	slices.SortFunc(nodes, func(a, b *Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}

// SpendsUnavailable reports whether a removal is one that maxUnavailable bounds, and returns the bound.
func (s *Scene) SpendsUnavailable() (limit int, bounded bool) {
	if !s.Removed.RemovesLastAvailable() {
		return 0, false
	}
	return s.Removed.Pod.Workload.Largest(s.Now, UnavailableLimit)
}

// PatchSpendsUnavailable reports whether a patch is one that maxUnavailable bounds, and returns the bound.
func (s *Scene) PatchSpendsUnavailable() (limit int, bounded bool) {
	if !s.Patched.RestartsLastAvailable() {
		return 0, false
	}
	return s.Patched.Pod.Workload.Largest(s.Now, UnavailableLimit)
}

// ZeroDowntime reports whether, by all settings that the implementation may be acting by, a node must not lose its available pod without another.
// OnDelete settings permit no more than these.
func (s *Scene) ZeroDowntime(w *Workload) bool {
	surging := false
	bound := w.Always(s.Now, func(s Settings) bool {
		surging = surging || s.ZeroDowntime()
		return s.ZeroDowntime() || !s.Rolling
	})
	return bound && surging
}

// NodeNames lists the first few of the nodes, for a message.
func NodeNames(nodes []*Node) string {
	const most = 5
	names := make([]string, 0, most+1)
	for i, node := range nodes {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, node.Name)
	}
	return strings.Join(names, ", ")
}
