package simulation

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// patience with the cache: how long a process awaits its own writes in it.
const ownWriteTimeout = 2 * time.Second

// expectations are a process's own writes that its cache has not shown yet: created and changed objects by resource version, for each kind,
// deleted pods by UID.
type expectations struct {
	since         time.Time
	written, seen map[history.Kind]uint64
	deleted       map[types.UID]bool
}

func newExpectations() *expectations {
	return &expectations{written: map[history.Kind]uint64{}, seen: map[history.Kind]uint64{}, deleted: map[types.UID]bool{}}
}

func (e *expectations) wrote(now time.Time, kind history.Kind, version uint64) {
	e.since, e.written[kind] = now, max(e.written[kind], version)
}

func (e *expectations) deletes(now time.Time, pod types.UID) {
	e.since, e.deleted[pod] = now, true
}

// pending reports whether pods, just read from the cache, or what came by before them, lack one of the writes, or that they did for so long that the cache
// has to be looked at again.
func (e *expectations) pending(now time.Time, pods []*corev1.Pod) (waits, doubtful bool) {
	missing := false
	for kind, version := range e.written {
		missing = missing || version > e.seen[kind]
	}
	for _, pod := range pods {
		missing = missing || e.deleted[pod.UID] && pod.DeletionTimestamp == nil
	}
	if missing && now.Before(e.since.Add(ownWriteTimeout)) {
		return true, false
	}
	clear(e.written)
	clear(e.deleted)
	return false, missing
}
