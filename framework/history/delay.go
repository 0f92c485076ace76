package history

import (
	"slices"
	"time"
)

// OrdinaryAnswer is the longest that an answer of the API server may take without any allowance for it: who works through pods one after another, and makes no
// more than five requests for each, still gets through a pod a second.
const OrdinaryAnswer = 200 * time.Millisecond

// OrdinaryNews is the longest that watches may take to tell of a change without any allowance for it: what a controller may be behind (judge.Lag).
const OrdinaryNews = time.Second

// leastDelays is the least that requests are outstanding for anybody to be told, where nothing was late by it.
const leastDelays = 500 * time.Millisecond

// Allowed is Due for who needs answers of the API server meanwhile: as much later as the implementation had requests outstanding, each for longer than
// OrdinaryAnswer, or had to be told of changes, each made longer than OrdinaryNews ago. That is known where there is an audit log.
func (h *History) Allowed(since time.Time, d time.Duration) time.Time {
	for due := since.Add(d); ; {
		took := due.Sub(since)
		if begin := h.Due(since, took).Add(-took); begin.After(since) {
			since, due = begin, begin.Add(d)
			continue
		}
		later := since.Add(d)
		if delay := h.delaying(since, due); delay != nil {
			later = later.Add(delay.Outstanding)
		}
		if !later.After(due) {
			return due
		}
		due = later
	}
}

// Hindering is what kept the implementation from being in time between the instants: Interrupting or, without a standstill, the delays of its requests in one;
// nil if nothing did.
func (h *History) Hindering(from, to time.Time) *Standstill {
	if standstill := h.Interrupting(from, to); standstill != nil {
		return standstill
	}
	return h.delaying(from, to)
}

// Known is up to when the implementation must know of everything at the instant: OrdinaryNews before, and earlier by as much as its requests were outstanding
// since, each for longer than OrdinaryAnswer.
func (h *History) Known(instant time.Time) time.Time {
	left := OrdinaryNews
	for _, delay := range slices.Backward(h.Delays) {
		from, until := h.Start.Add(delay.From), h.Start.Add(delay.Until)
		if !from.Before(instant) {
			continue
		}
		if apart := instant.Sub(until); apart >= left {
			break
		} else if apart > 0 {
			left -= apart
		}
		instant = from
	}
	return instant.Add(-left)
}

// delaying are the delays between the instants in one; nil if there is none.
func (h *History) delaying(from, to time.Time) *Standstill {
	var all *Standstill
	for _, delay := range h.Delays {
		begin, end := max(delay.From, from.Sub(h.Start)), min(delay.Until, to.Sub(h.Start))
		switch {
		case begin >= end:
		case all == nil:
			all = &Standstill{From: begin, Until: end, Outstanding: end - begin}
		default:
			all.Until, all.Outstanding = end, all.Outstanding+end-begin
		}
	}
	return all
}
