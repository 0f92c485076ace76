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
	// told is when the harness was told of the last step, and acted when what the implementation did in it had been done: before told, or then as far as
	// anybody knows.
	told, acted time.Time
}

// hear takes the next step in.
func (n *news) hear(told time.Time, author *history.Author) {
	n.now, n.told, n.acted = time.Time{}, told, told
	if author != nil && author.Who == history.Implementation && !author.Answered.IsZero() && author.Answered.Before(told) {
		n.acted = author.Answered
	}
}

// lately reports whether at an instant the implementation need not know yet what has been so since another.
func (n *news) lately(since, now time.Time) bool {
	if now.Equal(n.told) {
		now = n.acted
	}
	if !now.Equal(n.now) {
		n.now, n.known = now, n.h.Known(now)
	}
	return since.After(n.known)
}

// Lately reports whether the implementation need not know yet what has been so since the instant: less than Lag ago, without the delays of its requests. What it
// decided before may come as much later as they took, and be told of later yet.
func (s *Scene) Lately(since time.Time) bool { return s.memory.news.lately(since, s.Now) }
