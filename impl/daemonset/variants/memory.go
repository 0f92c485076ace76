package variants

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// memory is what a planner remembers of each DaemonSet. DaemonSets are planned for at once, each by one caller at a time.
type memory[T any] struct {
	mu  sync.Mutex
	all map[types.UID]*T
}

func newMemory[T any]() *memory[T] { return &memory[T]{all: map[types.UID]*T{}} }

// of returns what there is about the DaemonSet of state, the zero value at first.
func (m *memory[T]) of(state plan.State) *T {
	m.mu.Lock()
	defer m.mu.Unlock()
	uid := state.DaemonSet.UID
	if m.all[uid] == nil {
		m.all[uid] = new(T)
	}
	return m.all[uid]
}

// remember gives the planner a memory that begins with its process.
func remember[T any](with func(m *memory[T]) Around) Around {
	return remembering(func() Around { return with(newMemory[T]()) })
}

// sinceStart gives the planner the time of the first pass of its process.
func sinceStart(with func(began func(now time.Time) time.Time) Around) Around {
	return remembering(func() Around {
		var once sync.Once
		var at time.Time
		return with(func(now time.Time) time.Time {
			once.Do(func() { at = now })
			return at
		})
	})
}

// holding puts something off: from when it is first wanted, for a while.
type holding struct{ since map[string]time.Time }

// held reports whether key, which is wanted now, has to wait until it has been wanted for delay; if so the plan comes back then.
func (h *holding) held(key string, delay time.Duration, now time.Time, actions *plan.Actions) bool {
	if h.since == nil {
		h.since = map[string]time.Time{}
	}
	since, known := h.since[key]
	if !known {
		since = now
		h.since[key] = now
	}
	wait := since.Add(delay).Sub(now)
	comeBack(actions, wait)
	return wait > 0
}

// only forgets what is not wanted any more.
func (h *holding) only(wanted map[string]bool) {
	for key := range h.since {
		if !wanted[key] {
			delete(h.since, key)
		}
	}
}

// holdDeletions puts off the deletions that which selects by delay.
func holdDeletions(delay time.Duration, which func(plan.PodDeletion) bool) Around {
	return remember(func(m *memory[holding]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			if state.AwaitingOwnWrites {
				return
			}
			h, wanted := m.of(state), map[string]bool{}
			withoutDeletions(actions, func(d plan.PodDeletion) bool {
				if !which(d) {
					return false
				}
				wanted[string(d.Pod.UID)] = true
				return h.held(string(d.Pod.UID), delay, now, actions)
			})
			h.only(wanted)
		})
	})
}

// creatingNothingMeanwhile has a pass that puts a deletion off create no pod: one that is refused would make the pass fail, which loses the time of the next.
func creatingNothingMeanwhile(hold Around) Around {
	return func(next plan.Planner) plan.Planner {
		holding := hold(next)
		return func(state plan.State, now time.Time) plan.Actions {
			actions := holding(state, now)
			if len(actions.DeletePods) < len(next(state, now).DeletePods) {
				actions.CreatePods = nil
			}
			return actions
		}
	}
}

// holdCreations puts off the creations that which selects by delay.
func holdCreations(delay time.Duration, which func(plan.PodCreation) bool) Around {
	return remember(func(m *memory[holding]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			if state.AwaitingOwnWrites {
				return
			}
			h, wanted := m.of(state), map[string]bool{}
			withoutCreations(actions, func(c plan.PodCreation) bool {
				if !which(c) {
					return false
				}
				wanted[c.Node+c.Hash] = true
				return h.held(c.Node+c.Hash, delay, now, actions)
			})
			h.only(wanted)
		})
	})
}

// deletedFor selects deletions by their reason.
func deletedFor(reason plan.Reason) func(plan.PodDeletion) bool {
	return func(d plan.PodDeletion) bool { return d.Reason == reason }
}

// updatedFor selects updates in place by their reason.
func updatedFor(reason plan.Reason) func(plan.PodUpdate) bool {
	return func(u plan.PodUpdate) bool { return u.Reason == reason }
}

// createdFor selects creations by their reason.
func createdFor(reason plan.Reason) func(plan.PodCreation) bool {
	return func(c plan.PodCreation) bool { return c.Reason == reason }
}
