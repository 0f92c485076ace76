package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// surged returns the nodes that use up maxSurge: an old pod that is available, and an updated one created beside it that is not, unless
// that is too new to be known. An updated pod counts as available also where the reading says so; nil reads as the documents do.
func (m *memory) surged(w *workload, now time.Time, reading func(*podState) bool) []*nodeState {
	low, high := w.minReady(now)
	var nodes []*nodeState
	for node := range w.doubled {
		if !node.wanted(now) {
			continue
		}
		old, updated := false, false
		for _, pod := range node.livePods(nil) {
			switch {
			case !m.cluster.IsUpdated(pod.object):
				old = old || pod.steady(high, now)
			case pod.free || pod.believable(low, now) || reading != nil && reading(pod):
			default:
				updated = true
			}
		}
		if old && updated {
			nodes = append(nodes, node)
		}
	}
	slices.SortFunc(nodes, func(a, b *nodeState) int { return strings.Compare(a.name, b.name) })
	return nodes
}

// overSurge tells whether the creation made a node use up maxSurge when none was left, by the reading of available. It returns the nodes
// that use it, and the limit.
func (s *Scene) overSurge(reading func(*podState) bool) (nodes []*nodeState, limit int, over bool) {
	w := s.created.pod.workload
	limit, surging := w.largest(s.Now, surgeLimit)
	if !surging {
		return nil, 0, false
	}
	nodes = s.memory.surged(w, s.Now, reading)
	return nodes, limit, len(nodes) > limit
}

// takesSurge tells whether the creation took something of maxSurge: an updated pod, beside an old one that has to be taken for available, where
// there was no updated pod yet.
func (s *Scene) takesSurge() bool {
	if s.created == nil || s.created.pod.free || !s.Cluster.IsUpdated(s.created.pod.object) {
		return false
	}
	if _, surging := s.created.pod.workload.largest(s.Now, surgeLimit); !surging || !s.created.pod.node.wanted(s.Now) {
		return false
	}
	return !slices.ContainsFunc(s.created.beside, func(pod *podState) bool { return s.Cluster.IsUpdated(pod.object) })
}

// unserved returns the eligible nodes without an available pod, unless that is too new to be known and nobody's fault. A node has one
// also where the reading says so of one of its pods; nil reads as the documents do.
func (m *memory) unserved(w *workload, now time.Time, reading func(*podState) bool) []*nodeState {
	low, _ := w.minReady(now)
	var nodes []*nodeState
	for _, node := range w.nodes {
		if !node.wanted(now) || node.served(nil, low, now) || reading != nil && slices.ContainsFunc(node.pods, reading) {
			continue
		}
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b *nodeState) int { return strings.Compare(a.name, b.name) })
	return nodes
}

// spendsUnavailable tells whether a removal is one that maxUnavailable bounds, and returns the bound.
func (s *Scene) spendsUnavailable() (limit int, bounded bool) {
	if !s.removed.sacrifices() {
		return 0, false
	}
	return s.removed.pod.workload.largest(s.Now, unavailableLimit)
}

// zeroDowntime tells whether, by all settings that the implementation may be acting by, a node must not lose its available pod without another.
// OnDelete settings permit no more than these.
func (s *Scene) zeroDowntime(w *workload) bool {
	surging := false
	bound := w.always(s.Now, func(s settings) bool {
		surging = surging || s.zeroDowntime()
		return s.zeroDowntime() || !s.rolling
	})
	return bound && surging
}

// isReady tells whether the pod looks available to someone who asks for nothing but Ready.
func isReady(pod *podState) bool {
	return !pod.gone && !history.IsTerminal(pod.object) && history.IsReady(pod.object)
}

func nodeNames(nodes []*nodeState) string {
	const most = 5
	names := make([]string, 0, most+1)
	for i, node := range nodes {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, node.name)
	}
	return strings.Join(names, ", ")
}
