package judge

import (
	"fmt"
	"math"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Outcome is what a history says about a promise.
type Outcome string

// The outcomes. Holds on its own is not yet a pass: see Verdict.Exercised.
const (
	Holds        Outcome = "holds"
	Broken       Outcome = "broken"
	Inconclusive Outcome = "inconclusive"
)

// Verdict is one judge's on one history.
type Verdict struct {
	Requirement requirements.ID
	Promise     string
	Outcome     Outcome
	// Exercised tells whether the history put the promise to the test. A promise that holds untested must not count as a pass.
	Exercised bool
	// Reason says why the outcome is Inconclusive.
	Reason string
	// Violations in the order of the history.
	Violations []Violation
}

// Verdicts are those of several judges on one history, in the order of the judges.
type Verdicts []Verdict

// Of returns the verdict on the requirement.
func (v Verdicts) Of(id requirements.ID) (Verdict, bool) {
	i := slices.IndexFunc(v, func(verdict Verdict) bool { return verdict.Requirement == id })
	if i < 0 {
		return Verdict{}, false
	}
	return v[i], true
}

// Violations returns all, judge by judge.
func (v Verdicts) Violations() []Violation {
	var all []Violation
	for _, verdict := range v {
		all = append(all, verdict.Violations...)
	}
	return all
}

// Run replays the history once, before all judges.
//
// A judge stops at the first gap in a kind that it needs: what it found before stands, and without it the verdict is Inconclusive. So it is where
// a kind was not recorded, and where the recording was not caught up.
//
// Whoever else wants to see the replay is given every step of it, too.
func Run(h *history.History, judges []Judge, observers ...func(*history.Cluster, history.Change)) Verdicts {
	type seat struct {
		Observer
		judge Judge
		until uint64
	}
	verdicts, seats := make(Verdicts, len(judges)), make([]seat, len(judges))
	for i, judge := range judges {
		verdicts[i] = Verdict{Requirement: judge.Requirement, Promise: judge.Promise}
		seats[i] = seat{Observer: judge.New(h.Header), judge: judge, until: judgeable(h, judge.Needs)}
	}
	settled := settledBefore(h)
	memory, index := newMemory(h), -1
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		index++
		for _, observe := range observers {
			observe(cluster, change)
		}
		scene := memory.see(cluster, change, index)
		for i, seat := range seats {
			if change.ResourceVersion > seat.until {
				continue
			}
			for _, violation := range seat.Observe(scene) {
				if !settled(change.Entry, seat.judge.Needs) {
					continue
				}
				violation.Requirement, violation.Promise = seat.judge.Requirement, seat.judge.Promise
				violation.ResourceVersion, violation.Time = change.ResourceVersion, change.Time
				verdicts[i].Violations = append(verdicts[i].Violations, violation)
			}
		}
	})
	for i := range verdicts {
		verdict := &verdicts[i]
		verdict.Exercised = seats[i].Exercised()
		switch reason := Incomplete(h, seats[i].judge.Needs...); {
		case len(verdict.Violations) > 0:
			verdict.Outcome = Broken
		case reason != "":
			verdict.Outcome, verdict.Reason = Inconclusive, reason
		default:
			verdict.Outcome = Holds
		}
	}
	return verdicts
}

// Incomplete returns why the recording does not show everything that happened to the kinds; empty if it does.
func Incomplete(h *history.History, kinds ...history.Kind) string {
	for _, kind := range kinds {
		if !slices.Contains(h.Kinds, kind) {
			return fmt.Sprintf("%s was not recorded", kind)
		}
		for _, gap := range h.Gaps {
			if gap.Kind == kind {
				return fmt.Sprintf("events of %s may be missing after resourceVersion %d: %s", kind, gap.After, gap.Reason)
			}
		}
	}
	if !h.CaughtUp {
		return "the recording was not proven complete: it ended before it was caught up"
	}
	return ""
}

// judgeable returns the last resource version before the first gap in one of the kinds; 0 if one was not recorded.
func judgeable(h *history.History, kinds []history.Kind) uint64 {
	until := uint64(math.MaxUint64)
	for _, kind := range kinds {
		if !slices.Contains(h.Kinds, kind) {
			return 0
		}
		for _, gap := range h.Gaps {
			if gap.Kind == kind {
				until = min(until, gap.After)
			}
		}
	}
	return until
}

// settledBefore returns the test whether what an entry shows is beyond doubt. At the end of a recording that was not caught up it is not: of one kind the
// newest events may be there while another's, which came before and explain them, are not. A later event of each kind, or Lag, settles it.
func settledBefore(h *history.History) func(history.Entry, []history.Kind) bool {
	newest := map[history.Kind]uint64{}
	var end history.Entry
	for _, entry := range h.Entries {
		if entry.Object != nil {
			newest[entry.Kind] = max(newest[entry.Kind], entry.ResourceVersion)
		}
		if entry.Received > end.Received {
			end = entry
		}
	}
	return func(entry history.Entry, kinds []history.Kind) bool {
		if h.CaughtUp || end.Received-entry.Received >= Lag {
			return true
		}
		return !slices.ContainsFunc(kinds, func(kind history.Kind) bool { return newest[kind] < entry.ResourceVersion })
	}
}
