package matchers

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Either happens when one of the events does.
func Either(a, b Event) Event {
	either := Event{text: fmt.Sprintf("%s or %s", a, b), leaves: slices.Concat(a.leaves, b.leaves), find: func(s *Survey) []Occurrence {
		both := slices.Concat(a.find(s), b.find(s))
		slices.SortStableFunc(both, Occurrence.compare)
		return both
	}}
	if a.where != nil && b.where != nil {
		either.where = func(is func(Moment) bool) Event { return Either(a.where(is), b.where(is)) }
	}
	return either
}

// First is the first time that the event happens.
func First(e Event) Event { return Nth(1, e) }

// Nth is the n-th time that the event happens, counted from 1.
func Nth(n int, e Event) Event {
	return e.derive(fmt.Sprintf("%s (no. %d)", e, n), func(found []Occurrence) []Occurrence {
		if len(found) < n {
			return nil
		}
		return found[n-1 : n]
	})
}

// Last is the last time that the event happens.
func Last(e Event) Event {
	return e.derive(fmt.Sprintf("%s (the last)", e), func(found []Occurrence) []Occurrence { return found[max(0, len(found)-1):] })
}

// After keeps those occurrences that come after the marker's first.
func After(e, marker Event) Event {
	return after(fmt.Sprintf("%s after %s", e, marker), e, marker, func(_ *Survey, o, mark Occurrence) bool { return o.compare(mark) > 0 })
}

// WellAfter keeps those occurrences that come more than judge.Lag after the marker's first, without the delays of requests: an earlier act may have been decided
// before the marker was known. What was done counts from when it was answered.
func WellAfter(e, marker Event) Event {
	return after(fmt.Sprintf("%s more than %s after %s", e, judge.Lag, marker), e, marker, func(s *Survey, o, mark Occurrence) bool {
		return o.compare(mark) > 0 && mark.At.Before(s.h.Known(o.answered()))
	})
}

// after keeps those occurrences that are later than the marker's first, as the function says.
func after(text string, e, marker Event, isLater func(s *Survey, o, mark Occurrence) bool) Event {
	later := Event{text: text, leaves: slices.Concat(e.leaves, marker.leaves), find: func(s *Survey) []Occurrence {
		marks := marker.find(s)
		if len(marks) == 0 {
			return nil
		}
		return keep(e.find(s), func(o Occurrence) bool { return isLater(s, o, marks[0]) })
	}}
	if e.where != nil {
		later.where = func(is func(Moment) bool) Event { return after(text, e.where(is), marker, isLater) }
	}
	return later
}

// derive makes an event of some of the occurrences. It depends on how many there are, so no further condition can be put on it.
func (e Event) derive(text string, some func([]Occurrence) []Occurrence) Event {
	return Event{text: text, leaves: e.leaves, find: func(s *Survey) []Occurrence { return some(e.find(s)) }}
}
