package act

import (
	"slices"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// OwnWriteTimeout is how long a DaemonSet waits for its own writes to show up in the cache. They show up within
// milliseconds, unless the event that would have shown one was lost in a relist. Then the cache has to be compared with the API server.
const OwnWriteTimeout = 2 * time.Second

// Kind is a kind of objects that are written and then awaited.
type Kind int

// The kinds of which a DaemonSet's plan depends on all that there are.
const (
	Pods Kind = iota
	Revisions
	kinds
)

// OwnWrites knows which pods and ControllerRevisions were created, changed and deleted but are not in the cache as that
// yet. As long as there are any, arithmetic over the cache is wrong: pods would be created twice, budgets overdrawn, and
// revisions numbered below others.
//
// What was created or changed is awaited by resource version: events of one kind come in its order, so once one that
// is as new has been seen, the cache has seen the write too, even if the object is gone again. What was deleted is
// awaited by UID.
type OwnWrites struct {
	clock    clock.PassiveClock
	timedOut func(ds types.UID)

	mu      sync.Mutex
	seen    [kinds]uint64
	pending map[types.UID]*pendingWrites
}

type pendingWrites struct {
	since   time.Time
	written [kinds]uint64
	deleted map[types.UID]bool
}

// NewOwnWrites returns an OwnWrites that awaits nothing. timedOut is called whenever OwnWriteTimeout has passed: whether the cache shows what that DaemonSet wrote
// is not known then.
func NewOwnWrites(clock clock.PassiveClock, timedOut func(ds types.UID)) *OwnWrites {
	return &OwnWrites{clock: clock, timedOut: timedOut, pending: map[types.UID]*pendingWrites{}}
}

// Seen notes that the cache has seen an object, of whichever DaemonSet, in the given resource version.
func (w *OwnWrites) Seen(kind Kind, resourceVersion string) {
	version := number(resourceVersion)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[kind] = max(w.seen[kind], version)
}

// Wrote notes that an object of ds was created or changed, which gave it the resource version.
func (w *OwnWrites) Wrote(ds types.UID, kind Kind, resourceVersion string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.of(ds)
	p.written[kind] = max(p.written[kind], number(resourceVersion))
}

// Deleted notes that object, one of ds, was deleted.
func (w *OwnWrites) Deleted(ds, object types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of(ds).deleted[object] = true
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
type Mark [kinds]uint64

// Mark returns how far the cache is now. Take it before reading from the cache: what is seen between the reading
// and the question whether it was complete is not in what was read.
func (w *OwnWrites) Mark() Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Mark(w.seen)
}

// Awaited returns for how much longer, at most, the DaemonSet of state, which was read from the cache after mark was
// taken, has to wait until the cache shows its own writes; zero if state does, or the time is over.
func (w *OwnWrites) Awaited(state plan.State, mark Mark) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	ds := state.DaemonSet.UID
	p := w.pending[ds]
	if p == nil {
		return 0
	}
	missing := p.missing(state, mark)
	left := p.since.Add(OwnWriteTimeout).Sub(w.clock.Now())
	if missing && left > 0 {
		return left
	}
	if missing {
		w.timedOut(ds)
	}
	delete(w.pending, ds)
	return 0
}

func (p *pendingWrites) missing(state plan.State, mark Mark) bool {
	for kind, version := range p.written {
		if version > mark[kind] {
			return true
		}
	}
	undeleted := func(object metav1.Object) bool {
		return p.deleted[object.GetUID()] && object.GetDeletionTimestamp() == nil
	}
	return slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return undeleted(pod) }) ||
		slices.ContainsFunc(state.Revisions, func(revision *appsv1.ControllerRevision) bool { return undeleted(revision) })
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
