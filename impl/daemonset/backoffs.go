package daemonset

import (
	"maps"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// backoffs keeps plan.Backoff records between passes, and what the API server refused, for the current generation of each DaemonSet only: a new
// template deserves a fresh start. They live as long as the process.
type backoffs struct {
	mu    sync.Mutex
	byKey map[types.NamespacedName]*generationBackoff
}

type generationBackoff struct {
	uid        types.UID
	generation int64
	byNode     map[string]plan.Backoff
	refused    map[string]string
}

func newBackoffs() *backoffs {
	return &backoffs{byKey: map[types.NamespacedName]*generationBackoff{}}
}

// of returns the records of ds by node, and the refusals by node.
func (b *backoffs) of(key types.NamespacedName, ds *appsv1.DaemonSet) (map[string]plan.Backoff, map[string]string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	if have == nil || have.uid != ds.UID || have.generation != ds.Generation {
		have = &generationBackoff{uid: ds.UID, generation: ds.Generation, byNode: map[string]plan.Backoff{}, refused: map[string]string{}}
		b.byKey[key] = have
	}
	return maps.Clone(have.byNode), maps.Clone(have.refused)
}

// keep stores records of the DaemonSet that of was last called for, and what became of the updates in place that were tried.
func (b *backoffs) keep(key types.NamespacedName, actions plan.Actions, refused map[string]string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	if have == nil {
		return
	}
	maps.Copy(have.byNode, actions.Backoff)
	for _, update := range actions.UpdatePods {
		delete(have.refused, update.Node)
	}
	maps.Copy(have.refused, refused)
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
