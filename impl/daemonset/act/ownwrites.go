package act

import (
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// OwnWriteTimeout is how long a DaemonSet waits for its own writes to show up in the cache. They show up within
// milliseconds, unless the event that would have shown one was lost in a relist.
const OwnWriteTimeout = 30 * time.Second

// OwnWrites knows which pods were created, changed and deleted but are not in the cache as that yet. As long as there
// are any, arithmetic over the cache is wrong: pods would be created twice, and budgets overdrawn.
//
// Created and changed pods are awaited by resource version: events of one kind come in its order, so once one that
// is as new has been seen, the cache has seen the write too, even if the pod is gone again. Deleted pods are
// awaited by UID.
type OwnWrites struct {
	clock    clock.PassiveClock
	timedOut func()

	mu      sync.Mutex
	seen    uint64
	pending map[types.UID]*pendingWrites
}

type pendingWrites struct {
	since   time.Time
	version uint64
	deleted map[types.UID]bool
}

// NewOwnWrites returns an OwnWrites that awaits nothing. timedOut is called whenever OwnWriteTimeout has passed.
func NewOwnWrites(clock clock.PassiveClock, timedOut func()) *OwnWrites {
	return &OwnWrites{clock: clock, timedOut: timedOut, pending: map[types.UID]*pendingWrites{}}
}

// Seen notes that the cache has seen a pod, of whichever DaemonSet, in the given resource version.
func (w *OwnWrites) Seen(resourceVersion string) {
	version := number(resourceVersion)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = max(w.seen, version)
}

// Wrote notes that a pod of ds was created or changed, which gave it the resource version.
func (w *OwnWrites) Wrote(ds types.UID, resourceVersion string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.of(ds)
	p.version = max(p.version, number(resourceVersion))
}

// Deleted notes that pod, one of ds, was deleted.
func (w *OwnWrites) Deleted(ds, pod types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of(ds).deleted[pod] = true
}

func (w *OwnWrites) of(ds types.UID) *pendingWrites {
	p := w.pending[ds]
	if p == nil {
		p = &pendingWrites{deleted: map[types.UID]bool{}}
		w.pending[ds] = p
	}
	p.since = w.clock.Now()
	return p
}

// Mark is how far the cache was at some time.
type Mark uint64

// Mark returns how far the cache is now. Take it before reading pods from the cache: what is seen between the reading
// and the question whether it was complete is not in what was read.
func (w *OwnWrites) Mark() Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Mark(w.seen)
}

// Awaited returns for how much longer, at most, ds has to wait until pods, read from the cache after mark was taken,
// show its own writes; zero if they do.
func (w *OwnWrites) Awaited(ds types.UID, pods []*corev1.Pod, mark Mark) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pending[ds]
	if p == nil {
		return 0
	}
	missing := p.version > uint64(mark)
	for _, pod := range pods {
		if p.deleted[pod.UID] && pod.DeletionTimestamp == nil {
			missing = true
			break
		}
	}
	left := p.since.Add(OwnWriteTimeout).Sub(w.clock.Now())
	if missing && left > 0 {
		return left
	}
	if missing {
		w.timedOut()
	}
	delete(w.pending, ds)
	return 0
}

// Forget drops what is noted for a DaemonSet that is gone.
func (w *OwnWrites) Forget(ds types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pending, ds)
}

// number reads a resource version. One that is no number, which no API server of today hands out, is never awaited.
func number(resourceVersion string) uint64 {
	n, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
