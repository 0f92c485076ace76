package daemonset

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
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
	// refused are its last creations, refusedUpdates its last updates in place, by node, refusedDeletions its last deletions.
	refused          *plan.Refusal
	refusedUpdates   map[string]string
	refusedDeletions map[string]plan.Refusal
}

func newBackoffs() *backoffs {
	return &backoffs{byKey: map[types.NamespacedName]*generationBackoff{}}
}

// recall puts into state what is remembered of its DaemonSet.
func (b *backoffs) recall(key types.NamespacedName, state *plan.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, ds := b.byKey[key], state.DaemonSet
	if have == nil || have.uid != ds.UID || have.generation != ds.Generation {
		have = &generationBackoff{uid: ds.UID, generation: ds.Generation, byNode: map[string]plan.Backoff{}, refusedUpdates: map[string]string{}}
		b.byKey[key] = have
	}
	state.Backoff, state.Refused, state.RefusedUpdates = maps.Clone(have.byNode), have.refused, maps.Clone(have.refusedUpdates)
	state.RefusedDeletions = have.refusedDeletions
}

// keep stores records of the DaemonSet that recall was last called for, and what became of the updates in place that were tried.
func (b *backoffs) keep(key types.NamespacedName, actions plan.Actions, refused map[string]string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	if have == nil {
		return
	}
	maps.Copy(have.byNode, actions.Backoff)
	for _, update := range actions.UpdatePods {
		delete(have.refusedUpdates, update.Node)
	}
	maps.Copy(have.refusedUpdates, refused)
}

// tried notes how creating that many pods, and deleting others, went for the DaemonSet that recall was last called for.
func (b *backoffs) tried(key types.NamespacedName, creations int, err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, words := b.byKey[key], act.Refusal(err)
	if have == nil {
		return
	}
	kept := map[string]plan.Refusal{}
	for node, words := range act.KeptPods(err) {
		since := now
		if before, again := have.refusedDeletions[node]; again {
			since = before.Since
		}
		kept[node] = plan.Refusal{Since: since, Words: words}
	}
	have.refusedDeletions = kept
	switch {
	case creations == 0 || err == nil:
		have.refused = nil
	case words != "":
		refused := plan.Refusal{Since: now, Words: words, Nodes: map[string]time.Time{}}
		if have.refused != nil {
			refused.Since = have.refused.Since
			maps.Copy(refused.Nodes, have.refused.Nodes)
		}
		for _, node := range act.RefusedNodes(err) {
			refused.Nodes[node] = now
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
