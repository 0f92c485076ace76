package judge

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// doubt is what the end of a recording that was not caught up leaves open: of one kind the newest events may be there while another's, which came
// before and explain them, are not. A later event of each kind, or Lag, settles it.
type doubt struct {
	caughtUp bool
	newest   map[history.Kind]uint64
	// end is the newest event by the time at which it was received. What the harness itself did later shows no watch alive: the API server may be gone.
	end history.Entry
}

func newDoubt(h *history.History) doubt {
	d := doubt{caughtUp: h.CaughtUp, newest: map[history.Kind]uint64{}}
	for _, entry := range h.Entries {
		if entry.Object == nil {
			continue
		}
		d.newest[entry.Kind] = max(d.newest[entry.Kind], entry.ResourceVersion)
		if entry.Received > d.end.Received {
			d.end = entry
		}
	}
	return d
}

// about reports whether something may be missing that explains the entry.
func (d doubt) about(entry history.Entry, kinds []history.Kind) bool {
	if d.caughtUp || d.end.Received-entry.Received >= Lag {
		return false
	}
	return slices.ContainsFunc(kinds, func(kind history.Kind) bool { return d.newest[kind] < entry.ResourceVersion })
}

// aboutSilence reports whether something may be missing that was done before the deadline.
func (d doubt) aboutSilence(deadline time.Time) bool {
	return !d.caughtUp && d.end.Time.Sub(deadline) < Lag
}
