package matchers

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Either happens when one of the events does.
func Either(a, b Event) Event {
	return Event{text: fmt.Sprintf("%s or %s", a, b), find: func(h *history.History) []Occurrence {
		both := append(a.find(h), b.find(h)...)
		slices.SortStableFunc(both, Occurrence.compare)
		return both
	}}
}

// First is the first time that the event happens.
func First(e Event) Event { return Nth(1, e) }

// Nth is the n-th time that the event happens, counted from 1.
func Nth(n int, e Event) Event {
	return Event{text: fmt.Sprintf("%s (no. %d)", e, n), find: func(h *history.History) []Occurrence {
		if found := e.find(h); len(found) >= n {
			return found[n-1 : n]
		}
		return nil
	}}
}

// Last is the last time that the event happens.
func Last(e Event) Event {
	return Event{text: fmt.Sprintf("%s (the last)", e), find: func(h *history.History) []Occurrence {
		found := e.find(h)
		return found[max(0, len(found)-1):]
	}}
}

// After keeps those occurrences that come after the marker's first.
func After(e, marker Event) Event {
	return Event{text: fmt.Sprintf("%s after %s", e, marker), find: func(h *history.History) []Occurrence {
		marks := marker.find(h)
		if len(marks) == 0 {
			return nil
		}
		return keep(e.find(h), func(o Occurrence) bool { return o.compare(marks[0]) > 0 })
	}}
}
