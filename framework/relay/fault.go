package relay

import (
	"net/http"
	"sync"
	"time"
)

// Fault is what becomes of some of the client's requests. Faults are independent of each other: a request meets the first that chooses it.
type Fault struct {
	// Of selects the requests among which it chooses.
	Of Selector
	// First is the number of the first of these that meets it, counted from 1 since it was set. Default: 1.
	First int
	// Count is how many of these meet it, one after the other; Always for all from First on. Default: 1.
	Count int
	// Effect is what becomes of a request that meets it.
	Effect Effect
	// Met is called when a request meets it, before anything is done about that. What it returns is called when the effect is over; where it returns nil
	// the request is passed on as if there were no fault. Default: nobody is told.
	Met func(Request) (over func())
}

// Always is a Fault.Count without an end.
const Always = 1 << 30

// Effect is what a fault does to a request.
type Effect interface {
	// String says what it does, for a reader.
	String() string
	// appliesTo reports whether the effect is a lawful one for the request, which the fault selects: where it is not, the fault is not about the request.
	appliesTo(request *http.Request) bool
	// lasts is how long requests that the fault is about go on to meet it, from when the first has; 0 if it counts them alone.
	lasts() time.Duration
	// answer is what the client gets in the place of what next answers. It calls over as soon as nothing is left to do.
	answer(m meeting, next http.RoundTripper) (*http.Response, error)
}

// meeting is a request that meets a fault.
type meeting struct {
	request *http.Request
	asked   Request
	// until is when requests that the fault is about meet it no more; zero if it counts them.
	until time.Time
	over  func()
}

// faults are those that are set. The zero value has none.
type faults struct {
	mu  sync.Mutex
	set []*chooser
}

// chooser is a fault, and what it has seen since it was set.
type chooser struct {
	Fault
	seen  int
	until time.Time
}

func (f *faults) replace(all []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set = nil
	for _, fault := range all {
		fault.First, fault.Count = max(fault.First, 1), max(fault.Count, 1)
		f.set = append(f.set, &chooser{Fault: fault})
	}
}

// choose returns the fault that the request meets, nil if there is none. Each fault counts every request that it is about.
func (f *faults) choose(request *http.Request, asked Request, now time.Time) *chooser {
	f.mu.Lock()
	defer f.mu.Unlock()
	var met *chooser
	for _, candidate := range f.set {
		if candidate.chooses(request, asked, now) && met == nil {
			met = candidate
		}
	}
	return met
}

func (c *chooser) chooses(request *http.Request, asked Request, now time.Time) bool {
	if !c.Of.Selects(asked) || !c.Effect.appliesTo(request) {
		return false
	}
	c.seen++
	if c.seen == c.First {
		c.until = now.Add(c.Effect.lasts())
	}
	return c.seen >= c.First && (c.seen < c.First+c.Count || now.Before(c.until))
}

// roundTrip answers the request as the fault that it meets says, or as next does.
func (f *faults) roundTrip(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	asked, isResource := requestOf(request)
	if !isResource {
		return next.RoundTrip(request)
	}
	fault := f.choose(request, asked, time.Now())
	if fault == nil {
		return next.RoundTrip(request)
	}
	over := func() {}
	if fault.Met != nil {
		if over = fault.Met(asked); over == nil {
			return next.RoundTrip(request)
		}
	}
	return fault.Effect.answer(meeting{request: request, asked: asked, until: fault.until, over: over}, next)
}
