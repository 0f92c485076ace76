package matchers

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// PodAvailable happens when a pod becomes available: by becoming Ready, by having been Ready for minReadySeconds, or by a change of those. In
// the second case nothing happens in the cluster; the instant is the one that AvailableFrom gives.
func PodAvailable(which ...Which) Event {
	chosen := all(which)
	return Event{text: chosen.pod("became available"), find: func(h *history.History) []Occurrence {
		w := waiting{chosen: chosen, due: map[types.UID]time.Time{}, available: map[types.UID]bool{}}
		h.Replay(w.step)
		return w.found
	}}
}

// waiting follows which pods will become available, and when, unless something happens to them first.
type waiting struct {
	chosen    Which
	due       map[types.UID]time.Time
	available map[types.UID]bool
	found     []Occurrence
	index     int
}

func (w *waiting) step(cluster *history.Cluster, change history.Change) {
	w.pass(cluster, change)
	switch change.Kind {
	case history.KindPod:
		w.look(cluster, change.Object.GetUID(), change)
	case history.KindDaemonSet:
		for uid := range cluster.Pods {
			w.look(cluster, uid, change)
		}
	}
	w.index++
}

// pass lets the time go by up to the change: pods whose time has come by then became available before it.
func (w *waiting) pass(cluster *history.Cluster, change history.Change) {
	var arrived []types.UID
	for uid, due := range w.due {
		if !due.After(cluster.Time) {
			arrived = append(arrived, uid)
		}
	}
	slices.SortFunc(arrived, func(a, b types.UID) int {
		return cmp.Or(w.due[a].Compare(w.due[b]), cmp.Compare(a, b))
	})
	for _, uid := range arrived {
		// The change itself may have been the pod's end: then its last state is the one before.
		pod := cluster.Pods[uid]
		if change.Kind == history.KindPod && change.Object.GetUID() == uid {
			pod, _ = change.Before.(*corev1.Pod)
		}
		if pod != nil {
			entry := change
			entry.Entry = history.Entry{ResourceVersion: change.ResourceVersion, Received: change.Received, Time: w.due[uid], Type: watch.Modified, Kind: history.KindPod, Object: pod}
			entry.Before = pod
			w.arrive(cluster, uid, Occurrence{Change: entry, At: w.due[uid], index: w.index, between: true, cluster: cluster})
		}
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
		occurrence := Occurrence{Change: change, At: cluster.Time, index: w.index, cluster: cluster}
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
		w.found = append(w.found, occurrence)
	}
}
