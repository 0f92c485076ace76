package matchers

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// PodAvailable happens when a pod becomes available: by becoming Ready, by having been Ready for minReadySeconds, or by a change of those. In
// the second case nothing happens in the cluster; the instant is the one that AvailableFrom gives.
func PodAvailable(which ...Which) Event {
	chosen := all(which)
	return eventOf(chosen.pod("became available"), &leaf{follow: func(h *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		w := waiting{chosen: chosen, emit: emit, start: h.Start, until: h.Times(), due: map[types.UID]time.Time{}, available: map[types.UID]bool{}}
		return w.step
	}})
}

// waiting follows which pods will become available, and when, unless something happens to them first.
type waiting struct {
	chosen Which
	start  time.Time
	// until[i] is when the i-th entry happened at the latest.
	until     []time.Time
	due       map[types.UID]time.Time
	available map[types.UID]bool
	emit      func(Moment)
	index     int
	newest    uint64
}

func (w *waiting) step(cluster *history.Cluster, change history.Change) {
	w.newest = max(w.newest, change.ResourceVersion)
	switch change.Kind {
	case history.KindPod:
		w.look(cluster, change.Object.GetUID(), change)
	case history.KindDaemonSet:
		for uid := range cluster.Pods {
			w.look(cluster, uid, change)
		}
	}
	w.index++
	if w.index < len(w.until) {
		w.pass(cluster, w.until[w.index])
	}
}

// pass lets the time go by up to the next entry: pods whose time has come by then become available before it.
func (w *waiting) pass(cluster *history.Cluster, next time.Time) {
	var arrived []types.UID
	for uid, due := range w.due {
		if !due.After(next) {
			arrived = append(arrived, uid)
		}
	}
	slices.SortFunc(arrived, func(a, b types.UID) int { return cmp.Or(w.due[a].Compare(w.due[b]), cmp.Compare(a, b)) })
	for _, uid := range arrived {
		pod := cluster.Pods[uid]
		entry := history.Entry{ResourceVersion: w.newest, Received: w.due[uid].Sub(w.start), Time: w.due[uid], Type: watch.Modified, Kind: history.KindPod, Object: pod}
		w.arrive(cluster, uid, Occurrence{
			Change: history.Change{Entry: entry, Before: pod}, At: w.due[uid], index: w.index, between: true,
		})
		delete(w.due, uid)
	}
}

// look notes what the pod's present state means for its availability.
func (w *waiting) look(cluster *history.Cluster, uid types.UID, change history.Change) {
	delete(w.due, uid)
	pod := cluster.Pods[uid]
	owner := (*int32)(nil)
	if pod != nil {
		if daemonSet := cluster.OwnerOf(pod); daemonSet != nil {
			owner = &daemonSet.Spec.MinReadySeconds
		}
	}
	if owner == nil {
		delete(w.available, uid)
		return
	}
	from, ok := history.AvailableFrom(pod, *owner)
	switch {
	case !ok:
		delete(w.available, uid)
	case history.IsAvailable(pod, *owner, cluster.Time):
		occurrence := Occurrence{Change: change, At: cluster.Time, index: w.index}
		occurrence.Kind, occurrence.Object, occurrence.Before = history.KindPod, pod, pod
		w.arrive(cluster, uid, occurrence)
	default:
		delete(w.available, uid)
		w.due[uid] = from
	}
}

func (w *waiting) arrive(cluster *history.Cluster, uid types.UID, occurrence Occurrence) {
	if w.available[uid] {
		return
	}
	w.available[uid] = true
	if w.chosen.is(cluster, occurrence.Pod()) {
		w.emit(Moment{Occurrence: occurrence, cluster: cluster})
	}
}
