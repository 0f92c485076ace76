package daemonset

import (
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// backoffs keeps plan.Backoff records and a plan.Refusal between passes, for the current generation of each DaemonSet only: a new
// template deserves a fresh start. They live as long as the process.
type backoffs struct {
	mu    sync.Mutex
	byKey map[types.NamespacedName]*generationBackoff
}

type generationBackoff struct {
	uid        types.UID
	generation int64
	byNode     map[string]plan.Backoff
	refused    *plan.Refusal
}

func newBackoffs() *backoffs {
	return &backoffs{byKey: map[types.NamespacedName]*generationBackoff{}}
}

// of returns the records of ds by node, and what the API server said to its last creations if it refused them.
func (b *backoffs) of(key types.NamespacedName, ds *appsv1.DaemonSet) (map[string]plan.Backoff, *plan.Refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	if have == nil || have.uid != ds.UID || have.generation != ds.Generation {
		have = &generationBackoff{uid: ds.UID, generation: ds.Generation, byNode: map[string]plan.Backoff{}}
		b.byKey[key] = have
	}
	return maps.Clone(have.byNode), have.refused
}

// keep stores records of the DaemonSet that of was last called for.
func (b *backoffs) keep(key types.NamespacedName, records map[string]plan.Backoff) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if have := b.byKey[key]; have != nil {
		maps.Copy(have.byNode, records)
	}
}

// tried notes how creating that many pods went for the DaemonSet that of was last called for.
func (b *backoffs) tried(key types.NamespacedName, creations int, err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, words := b.byKey[key], act.Refusal(err)
	switch {
	case have == nil:
	case creations == 0 || err == nil:
		have.refused = nil
	case words != "":
		refused := plan.Refusal{Since: now, Words: words}
		if have.refused != nil {
			refused.Since = have.refused.Since
		}
		have.refused = &refused
	}
}

// forget drops the records and returns the UID of the DaemonSet that they were for.
func (b *backoffs) forget(key types.NamespacedName) types.UID {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	delete(b.byKey, key)
	if have == nil {
		return ""
	}
	return have.uid
}
