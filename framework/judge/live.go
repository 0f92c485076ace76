package judge

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// remembered is how long a standstill of the API server is remembered after everybody has recovered from it: longer than anything is due.
const remembered = 10 * time.Minute

// Live judges a history while it is made, as Run would judge it once it is complete. It keeps the state, and of the entries those alone that a violation has to
// show, so that it can go on for as long as anybody likes.
type Live struct {
	h       *history.History
	cluster *history.Cluster
	replay  *replay
}

// NewLive begins with a history that has no entries yet. What is shown to it must be complete: every entry of the header's kinds, in order.
func NewLive(header history.Header, rules []Rule) *Live {
	h := &history.History{Header: header, CaughtUp: true}
	return &Live{h: h, cluster: header.NewCluster(), replay: newReplay(h, rules)}
}

// Cluster is the state behind the last entry. The caller must not change it.
func (l *Live) Cluster() *history.Cluster { return l.cluster }

// See takes the next entry in, which happened at that time at the latest: see history.History.Times. It returns the change, as a replay shows it.
func (l *Live) See(entry history.Entry, at time.Time) history.Change {
	l.pass(entry.ResourceVersion, at)
	change := l.cluster.Apply(entry)
	l.cluster.Time = at
	l.replay.observe(l.cluster, change, entry)
	l.replay.memory.pass()
	return change
}

// Pass lets the time pass, up to an instant before which nothing else has happened.
func (l *Live) Pass(until time.Time) {
	l.pass(0, until)
	if until.After(l.cluster.Time) {
		l.cluster.Time = until
	}
}

func (l *Live) pass(version uint64, until time.Time) {
	if l.replay.scene != nil {
		l.replay.elapse(version, until)
	}
}

// Standstill takes note of one of the API server.
func (l *Live) Standstill(standstill history.Standstill) {
	l.h.Standstills = slices.DeleteFunc(l.h.Standstills, func(past history.Standstill) bool {
		return past.Recovered()+remembered < standstill.From
	})
	l.h.Standstills = append(l.h.Standstills, standstill)
}

// Overshadowed reports whether a standstill may explain what is done at the instant: see history.History.Overshadowing.
func (l *Live) Overshadowed(instant time.Time) bool { return l.h.Overshadowing(instant) != nil }

// Violations returns those that were found since the last call, rule by rule.
func (l *Live) Violations() []Violation {
	var found []Violation
	for i := range l.replay.seats {
		found = append(found, l.replay.seats[i].violations...)
		l.replay.seats[i].violations = nil
	}
	return found
}
