package judge

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// watchSkew is how far apart the watches of one controller may deliver what happened at the same time, when nothing is wrong.
const watchSkew = 200 * time.Millisecond

// workload is what judges remember of one DaemonSet.
type workload struct {
	object *appsv1.DaemonSet
	nodes  map[string]*nodeState
	// doubled are the nodes with two live pods or more.
	doubled map[*nodeState]bool
	// settings in force, and those before.
	settings settings
	past     []era
	// rolledAt is when the template in force came, rolledBy the entry that brought it.
	rolledAt time.Time
	rolledBy int
	// doomed: the harness is deleting it.
	doomed bool
	// statusDue: the harness is about to write the status; statusUntil: it may still be.
	statusDue   bool
	statusUntil time.Time
}

func (w *workload) node(name string) *nodeState {
	node := w.nodes[name]
	if node == nil {
		node = &nodeState{name: name}
		w.nodes[name] = node
	}
	return node
}

// live tells whether there is a DaemonSet to act for.
func (w *workload) live() bool { return !w.doomed && w.object.DeletionTimestamp == nil }

// nodeState is what judges remember of one DaemonSet on one node.
type nodeState struct {
	name string
	// pods that exist, oldest first; gone are those that stopped existing less than Lag ago.
	pods, gone []*podState
	// eligible, since when.
	eligible bool
	since    time.Time
}

// wanted tells whether the node is eligible and has been for Lag.
func (n *nodeState) wanted(now time.Time) bool { return n.eligible && now.Sub(n.since) >= Lag }

// livePods returns the pods that are neither terminating nor terminal, but for one.
func (n *nodeState) livePods(but *podState) []*podState {
	var live []*podState
	for _, pod := range n.pods {
		if pod != but && history.IsLive(pod.object) {
			live = append(live, pod)
		}
	}
	return live
}

// served tells whether a pod other than one is available, or was until somebody else changed that less than Lag ago.
func (n *nodeState) served(but *podState, minReady int32, now time.Time) bool {
	served := func(pod *podState) bool { return pod != but && pod.believable(minReady, now) }
	return slices.ContainsFunc(n.pods, served) || slices.ContainsFunc(n.gone, served)
}

// podState is what judges remember of one daemon pod.
type podState struct {
	object   *corev1.Pod
	workload *workload
	node     *nodeState
	// free: it was created beside no old pod that the implementation had to take for available, so it takes nothing of maxSurge.
	free bool
	// readySince is when the Ready condition became what it is.
	readySince time.Time
	// lostAt is when it last stopped being available, or being about to be; lostFrom is from when it was or would have been; lostToOthers that
	// this was not the implementation's doing.
	lostAt, lostFrom time.Time
	lostToOthers     bool
	// gone: it does not exist any more.
	gone bool
	// entries that tell its life.
	entries []int
}

// availableFrom is history.AvailableFrom, but no earlier than the condition was seen.
func (p *podState) availableFrom(minReady int32) (time.Time, bool) {
	if p.gone {
		return time.Time{}, false
	}
	from, ok := history.AvailableFrom(p.object, minReady)
	if ok && (minReady == 0 || from.Before(p.readySince)) {
		from = p.readySince
	}
	return from, ok
}

// available tells whether it is available at the instant.
func (p *podState) available(minReady int32, now time.Time) bool {
	from, ok := p.availableFrom(minReady)
	return ok && !now.Before(from)
}

// steady tells whether the implementation has to take it for available: it has been for Lag, or since well before the template changed.
func (p *podState) steady(minReady int32, now time.Time) bool {
	from, ok := p.availableFrom(minReady)
	return ok && (now.Sub(from) >= Lag || p.workload.rolledAt.Sub(from) >= watchSkew)
}

// believable tells whether the implementation may take it for available: it is, or would be by now, had somebody else not changed that less than
// Lag ago.
func (p *podState) believable(minReady int32, now time.Time) bool {
	return p.available(minReady, now) || p.lostToOthers && now.Sub(p.lostAt) < Lag && !now.Before(p.lostFrom)
}
