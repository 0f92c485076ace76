package act

import (
	"context"
	"maps"
	"reflect"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// RefusedFor is how long what the API server refused is not tried again, if nothing changes: what it refuses today for a quota it may take later.
const RefusedFor = 30 * time.Second

// shownWithin is how long a created object may take to show in the cache, where it may also be gone again.
const shownWithin = 5 * time.Second

// Memory is what a process remembers of what it has written, by UnitedDaemonSet. It is lost with the process, and nothing depends on it but how much is
// written again.
type Memory struct {
	clock clock.PassiveClock

	mu  sync.Mutex
	all map[types.UID]*remembered
}

type remembered struct {
	// awaited are writes that may not yet be in the cache.
	awaited []awaited
	written map[types.UID]plan.Written
	refusal map[string]refusal
}

// awaited is an object as it was written.
type awaited struct {
	client.Object
	created bool
}

type refusal struct {
	plan.Refused
	at time.Time
}

// NewMemory returns an empty Memory.
func NewMemory(clock clock.PassiveClock) *Memory {
	return &Memory{clock: clock, all: map[types.UID]*remembered{}}
}

func (m *Memory) of(united types.UID) *remembered {
	r := m.all[united]
	if r == nil {
		r = &remembered{written: map[types.UID]plan.Written{}, refusal: map[string]refusal{}}
		m.all[united] = r
	}
	return r
}

// Forget drops what is remembered of a UnitedDaemonSet that is gone.
func (m *Memory) Forget(united types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, united)
}

// Fill adds to the state what is remembered, and returns for how long all refusals count still; 0 if there is none.
func (m *Memory) Fill(state *plan.State) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(state.United.UID)
	state.Written, state.Refused = maps.Clone(r.written), map[string]plan.Refused{}
	var left time.Duration
	for subset, refusal := range r.refusal {
		counts := refusal.at.Add(RefusedFor).Sub(m.clock.Now())
		if counts <= 0 {
			delete(r.refusal, subset)
			continue
		}
		state.Refused[subset] = refusal.Refused
		if left == 0 || counts < left {
			left = counts
		}
	}
	return left
}

// Shown reports whether the cache shows everything that was written for the UnitedDaemonSet, or something later.
func (m *Memory) Shown(ctx context.Context, cache client.Reader, united types.UID) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(united)
	for len(r.awaited) > 0 {
		written := r.awaited[0]
		cached := reflect.New(reflect.TypeOf(written.Object).Elem()).Interface().(client.Object)
		err := cache.Get(ctx, client.ObjectKeyFromObject(written), cached)
		if client.IgnoreNotFound(err) != nil {
			return false, err
		}
		// What was created and is not there is not there yet, or not any more.
		if err != nil && written.created && m.clock.Since(written.GetCreationTimestamp().Time) < shownWithin {
			return false, nil
		}
		if err == nil && stale.Older(cached.GetResourceVersion(), written.GetResourceVersion()) {
			return false, nil
		}
		r.awaited = r.awaited[1:]
	}
	return true, nil
}

func (m *Memory) wrote(united types.UID, object client.Object) {
	m.await(united, awaited{Object: object})
}

func (m *Memory) await(united types.UID, written awaited) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(united)
	r.awaited = append(r.awaited, written)
}

func (m *Memory) made(united types.UID, ds *appsv1.DaemonSet, hash string, created bool) {
	m.await(united, awaited{Object: ds, created: created})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(united).written[ds.UID] = plan.Written{Hash: hash, Generation: ds.Generation}
}

func (m *Memory) refused(united types.UID, subset string, why plan.Refused) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(united).refusal[subset] = refusal{Refused: why, at: m.clock.Now()}
}
