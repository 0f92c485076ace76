package judge

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// duties are an obligation's that are pending.
type duties struct {
	Exercise
	condition Condition
	nodes     bool
	pending   map[dutyKey]*duty
	// earliest is no later than the first deadline of those pending; zero if there is none.
	earliest time.Time
}

type dutyKey struct {
	workload *Workload
	node     *Node
}

// Observe implements Observer.
func (d *duties) Observe(s *Scene) []Violation {
	if s.memory.control.restartedAt().Equal(s.Now) {
		for _, known := range d.pending {
			d.place(s, known)
		}
	}
	if d.nodes {
		for w, n := range s.TouchedNodes() {
			d.look(s, dutyKey{w, n})
		}
		return nil
	}
	for _, w := range s.touchedWorkloads() {
		d.look(s, dutyKey{workload: w})
	}
	return nil
}

// look decides anew what is owed.
func (d *duties) look(s *Scene, key dutyKey) {
	known := d.pending[key]
	due, owed := d.condition(s, key.workload, key.node)
	owed = owed && key.workload.Live()
	if known != nil && (!owed || due.About != known.About) {
		d.settle(s, known)
		delete(d.pending, key)
		known = nil
	}
	switch {
	case !owed:
	case known == nil:
		known = &duty{Due: due, dutyKey: key, since: latest(s.Now, due.From), acts: s.memory.acts, before: s.stateOf(key)}
		d.pending[key] = known
		d.await(known.deadline(s))
	default:
		// It may have become owed sooner, too, as when minReadySeconds are lowered (AVAIL-007).
		if due.From.After(known.since) || due.From.Before(known.From) && s.Now.Before(known.since) {
			known.since, known.waited, known.broken = latest(s.Now, due.From), nil, false
			d.await(known.deadline(s))
		}
		known.Due = due
	}
	if known != nil {
		d.place(s, known)
	}
}

// place takes note of the situations that what is owed is in.
func (d *duties) place(s *Scene, known *duty) {
	known.in |= (d.seen | known.in).in(d.all, Test{Scene: s, Workload: known.workload, Node: known.node})
}

// settle takes note that what was owed no longer is. It was put to the test if the implementation did it, not before it was owed, and not so late that only
// a time without a processor explains it.
func (d *duties) settle(s *Scene, known *duty) {
	done := known.Done
	if done == nil {
		done = func(s *Scene) bool { return s.actedOn(known.dutyKey) }
	}
	if s.Now.Before(known.since) || known.waited != nil || known.ByClock && known.disturbed(s) || !done(s) {
		return
	}
	if known.broken {
		d.PutToTest()
		return
	}
	d.fulfilled(known.in)
}

// Elapse implements Timed.
func (d *duties) Elapse(s *Scene, next time.Time) []Violation {
	if d.earliest.IsZero() || !d.earliest.Before(next) {
		return nil
	}
	d.earliest = time.Time{}
	var violations []Violation
	for key, known := range d.pending {
		if known.broken {
			continue
		}
		late := known.overdue(s, next)
		if late && known.excused(s) {
			d.Doubt(known.waited)
			late = known.overdue(s, next)
		}
		if late {
			known.broken = true
			d.PutToTest()
			violations = append(violations, known.violation(s, key))
			continue
		}
		d.await(known.deadline(s))
	}
	slices.SortFunc(violations, func(a, b Violation) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Node, b.Node))
	})
	return violations
}

func (d *duties) await(deadline time.Time) {
	if d.earliest.IsZero() || deadline.Before(d.earliest) {
		d.earliest = deadline
	}
}
