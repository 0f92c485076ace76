package pulse

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// Standstill is a time without a beat.
type Standstill struct {
	// From is when the last beat before it was heard, Until when the first one after it was.
	From, Until time.Time
	// Error is what a request of the pulse failed with meanwhile, the last one; nil if none did.
	Error error
}

// rhythm is what was heard of a pulse.
type rhythm struct {
	mu sync.Mutex
	beats
	past []Standstill
	// followers are called when there is another standstill, by number.
	followers map[int]func()
	numbered  int
}

// beats are the last ones.
type beats struct {
	// heard is when the last one was; zero before the first.
	heard time.Time
	// trouble is what a request failed with since.
	trouble error
}

func (r *rhythm) now() beats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beats
}

func (r *rhythm) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble = err
}

// hear takes in what was sent at a time and heard at another, and reports whether it is the first beat. What was heard late is none: it shows no more than
// that something was stored at some time.
func (r *rhythm) hear(sent, heard time.Time) (first bool) {
	if heard.Sub(sent) > Silence {
		return false
	}
	var tell []func()
	defer func() {
		for _, another := range tell {
			another()
		}
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	first = r.heard.IsZero()
	if !first && heard.Sub(r.heard) > Silence {
		r.past = append(r.past, Standstill{From: r.heard, Until: heard, Error: r.trouble})
		tell = slices.Collect(maps.Values(r.followers))
	}
	r.beats = beats{heard: heard}
	return first
}

// Standstills returns those that are over, in order, and the one under way as if it were over now, nil if there is none.
func (p *Pulse) Standstills() (past []Standstill, underWay *Standstill) {
	if p == nil {
		return nil, nil
	}
	r := &p.rhythm
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.heard) > Silence {
		underWay = &Standstill{From: r.heard, Until: now, Error: r.trouble}
	}
	return slices.Clone(r.past), underWay
}

// Untroubled is how long ago everybody had recovered from every standstill: as long after its end as it lasted (history.Standstill.Recovered). It is
// negative while somebody may still have to, and the longest duration there is where there was none.
func (p *Pulse) Untroubled() time.Duration {
	all, underWay := p.Standstills()
	if underWay != nil {
		all = append(all, *underWay)
	}
	ago := time.Duration(math.MaxInt64)
	for _, s := range all {
		ago = min(ago, time.Since(s.Until)-s.Until.Sub(s.From))
	}
	return ago
}

// Follow has the function called whenever a standstill is over, until the function that it returns is called, and possibly once more.
func (p *Pulse) Follow(another func()) (unfollow func()) {
	if p == nil {
		return func() {}
	}
	r := &p.rhythm
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers == nil {
		r.followers = map[int]func(){}
	}
	r.numbered++
	number := r.numbered
	r.followers[number] = another
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.followers, number)
	}
}

// Lively reports whether a beat is no further back than two intervals. While it is not, that nothing happens means nothing.
func (p *Pulse) Lively() bool { return p == nil || time.Since(p.rhythm.now().heard) <= 2*Interval }
