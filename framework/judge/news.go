package judge

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// news tells how old a fact has to be for the implementation to be held to know it: Lag, without the delays of its requests (see history.History.Known).
type news struct {
	h       *history.History
	control *control
	// known at now.
	now, known time.Time
}

// lately reports whether at an instant the implementation need not know yet what has been so since another.
func (n *news) lately(since, now time.Time) bool {
	if !now.Equal(n.now) {
		n.now, n.known = now, n.h.Known(now)
	}
	return since.After(n.known)
}

// Lately reports whether the implementation need not know yet what has been so since the instant: less than Lag ago, without the delays of its requests. What it
// decided before may come as much later as they took.
func (s *Scene) Lately(since time.Time) bool { return s.memory.news.lately(since, s.Now) }
