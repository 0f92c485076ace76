package simulation

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// patience with the cache: how long a process awaits its own writes in it.
const ownWriteTimeout = 2 * time.Second

// expectations are a process's own writes that its cache has not shown yet: created and changed objects by resource version, for each kind,
// deleted ones by UID.
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

func (e *expectations) deletes(now time.Time, object types.UID) {
	e.since, e.deleted[object] = now, true
}

// pending reports whether state, just read from the cache, or what came by before it, lacks one of the writes, or that it did for so long that the cache
// has to be looked at again.
func (e *expectations) pending(now time.Time, state plan.State) (waits, doubtful bool) {
	missing := false
	for kind, version := range e.written {
		missing = missing || version > e.seen[kind]
	}
	for _, pod := range state.Pods {
		missing = missing || e.undeleted(pod)
	}
	for _, revision := range state.Revisions {
		missing = missing || e.undeleted(revision)
	}
	if missing && now.Before(e.since.Add(ownWriteTimeout)) {
		return true, false
	}
	clear(e.written)
	clear(e.deleted)
	return false, missing
}

// undeleted reports whether object looks as if it had not been deleted, which it was.
func (e *expectations) undeleted(object metav1.Object) bool {
	return e.deleted[object.GetUID()] && object.GetDeletionTimestamp() == nil
}
