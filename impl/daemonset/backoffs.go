package daemonset

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

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
	refusedUpdates   map[string]plan.Refusal
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
		have = &generationBackoff{uid: ds.UID, generation: ds.Generation, byNode: map[string]plan.Backoff{}, refusedUpdates: map[string]plan.Refusal{}}
		b.byKey[key] = have
	}
	state.Backoff, state.Refused, state.RefusedUpdates = maps.Clone(have.byNode), have.refused, maps.Clone(have.refusedUpdates)
	state.RefusedDeletions = have.refusedDeletions
}

// keep stores records of the DaemonSet that recall was last called for, and what became of the updates in place that were tried.
func (b *backoffs) keep(key types.NamespacedName, actions plan.Actions, refused map[string]string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.byKey[key]
	if have == nil {
		return
	}
	maps.Copy(have.byNode, actions.Backoff)
	for _, update := range actions.UpdatePods {
		if words, is := refused[update.Node]; is {
			have.refusedUpdates[update.Node] = again(have.refusedUpdates[update.Node], words, now)
		} else {
			delete(have.refusedUpdates, update.Node)
		}
	}
}

// tried notes how creating and deleting pods went for the DaemonSet that recall was last called for.
func (b *backoffs) tried(key types.NamespacedName, actions plan.Actions, err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, words := b.byKey[key], act.Refusal(err)
	if have == nil {
		return
	}
	kept := map[string]plan.Refusal{}
	for _, deletion := range actions.PutOff {
		kept[deletion.Node] = have.refusedDeletions[deletion.Node]
	}
	for node, words := range act.KeptPods(err) {
		kept[node] = again(have.refusedDeletions[node], words, now)
	}
	have.refusedDeletions = kept
	switch {
	case len(actions.CreatePods) == 0 || err == nil:
		have.refused = nil
	case words != "":
		refused := again(ptr.Deref(have.refused, plan.Refusal{}), words, now)
		refused.Nodes = maps.Clone(refused.Nodes)
		if refused.Nodes == nil {
			refused.Nodes = map[string]time.Time{}
		}
		for _, node := range act.RefusedNodes(err) {
			refused.Nodes[node] = now
		}
		have.refused = &refused
	}
}

// rewording is for how long the words of a refusal stay what they were. A policy may use others with every attempt, such as the name that was generated for
// the pod, or a time; status and events repeat them, and a change of the status is the next attempt.
const rewording = 5 * time.Second

// again is the refusal that follows before, which is empty if there was none: the API server has said words now.
func again(before plan.Refusal, words string, now time.Time) plan.Refusal {
	if before.Since.IsZero() {
		before.Since = now
	}
	if now.Sub(before.Said) >= rewording {
		before.Words, before.Said = words, now
	}
	return before
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
