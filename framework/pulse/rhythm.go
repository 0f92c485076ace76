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
	// From is when the last beat before it was heard, Until when the first one after it was, by the wall clock.
	From, Until time.Time
	// Suspended is for how long of it this machine was suspended, so that nobody on it did anything; or its clock was set forward by that, which looks the same.
	Suspended time.Duration
	// Error is what a request of the pulse failed with meanwhile, the last one; nil if none did.
	Error error
}

// troubles is for how long after its end somebody may still have to recover: see history.Standstill.Recovered.
func (s Standstill) troubles() time.Duration {
	return max(s.Until.Sub(s.From)-s.Suspended, min(s.Suspended, Silence))
}

// between returns the standstill between two beats, nil if that was no longer than Silence.
func between(last beats, next instant) *Standstill {
	lasted := next.wall.Sub(last.heard.wall)
	if lasted <= Silence {
		return nil
	}
	s := &Standstill{From: last.heard.wall, Until: next.wall, Error: last.trouble}
	if suspended := lasted - (next.awake - last.heard.awake); suspended > Silence {
		s.Suspended = suspended
	}
	return s
}

// instant is a time by both clocks.
type instant struct {
	wall time.Time
	// awake is for how long the process has run, without the times in which the machine was suspended.
	awake time.Duration
}

// began is when the process did, by both clocks.
var began = time.Now()

func now() instant {
	now := time.Now()
	return instant{wall: now.Round(0), awake: now.Sub(began)}
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
	heard instant
	// trouble is what a request failed with since.
	trouble error
}

func (r *rhythm) now() beats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beats
}

// beatLately reports whether the last beat was just before now. By a clock that was set back since, none was.
func (r *rhythm) beatLately(now time.Time) bool {
	ago := now.Sub(r.now().heard.wall)
	return ago >= 0 && ago < recent
}

func (r *rhythm) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble = err
}

// hear takes in what was sent at a time and heard at another, and reports whether it is the first beat. What was heard late is none: it shows no more than
// that something was stored at some time.
func (r *rhythm) hear(sent time.Time, heard instant) (first bool) {
	if heard.wall.Sub(sent) > Silence {
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
	first = r.heard.wall.IsZero()
	if standstill := between(r.beats, heard); !first && standstill != nil {
		r.past = append(r.past, *standstill)
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
	return slices.Clone(r.past), between(r.beats, now())
}

// Untroubled is how long ago everybody had recovered from every standstill (history.Standstill.Recovered). It is
// negative while somebody may still have to, and the longest duration there is where there was none.
func (p *Pulse) Untroubled() time.Duration {
	all, underWay := p.Standstills()
	if underWay != nil {
		all = append(all, *underWay)
	}
	ago := time.Duration(math.MaxInt64)
	for _, s := range all {
		ago = min(ago, now().wall.Sub(s.Until)-s.troubles())
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
func (p *Pulse) Lively() bool {
	return p == nil || now().wall.Sub(p.rhythm.now().heard.wall) <= 2*p.every
}
