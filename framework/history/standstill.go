package history

import (
	"fmt"
	"slices"
	"time"
)

// Standstill is a stretch in which nobody had an answer of the API server, as far as the harness could tell: nothing that was written then is known to have
// been stored, and of nothing that was stored is anybody known to have heard. It is longer than a controller's watches may be late.
//
// It is also one in which the implementation waited for a processor of its machine for most of the time, for half a second or more: see Health.Waits; or one in
// which the API server took its time over requests of the implementation, or over telling of changes: see History.Delays.
type Standstill struct {
	// From is when an answer last came in time, Until when one did again, since the recording began; negative for before. One under way at the
	// recording's end ends there.
	From  time.Duration `json:"from"`
	Until time.Duration `json:"until"`
	// Error is what a request failed with meanwhile; empty if none did.
	Error string `json:"error,omitempty"`
	// Waited is for how long the implementation was ready to run and did not. 0 if it is the API server that stood still.
	Waited time.Duration `json:"waited,omitempty"`
	// Suspended is for how long this machine was suspended, or by how much its clock was set forward, which looks the same. 0 if neither.
	Suspended time.Duration `json:"suspended,omitempty"`
	// Outstanding is for how long, at least, a request of the implementation had been without its answer for longer than OrdinaryAnswer, or a change untold for
	// longer than OrdinaryNews. 0 if it is not about such.
	Outstanding time.Duration `json:"outstanding,omitempty"`
}

// Lasted is how long it was.
func (s Standstill) Lasted() time.Duration { return s.Until - s.From }

// Recovered is when everybody has to be at work again, since the recording began: as long again after its end as it lasted. Whoever retries with delays
// that double, as controllers and their watches do, has no more than that to wait when the API server answers again. Who has waited for a processor has to
// take in what it did not hear of, and so has who was suspended, who tried nothing meanwhile.
func (s Standstill) Recovered() time.Duration {
	if s.Waited > 0 {
		return s.Until + catchingUp
	}
	return s.Until + max(s.Lasted()-s.Suspended, min(s.Suspended, catchingUp))
}

// catchingUp is how long an implementation that runs again may take to hear of what has happened.
const catchingUp = time.Second

// Counted says how a time that has passed was counted beside it.
func (s Standstill) Counted() string {
	if s.Outstanding > 0 {
		return "without the delays of requests: " + s.String()
	}
	return "counted from when everybody had recovered: " + s.String()
}

// String says what happened, and when.
func (s Standstill) String() string {
	if s.Waited > 0 {
		return fmt.Sprintf("the implementation waited for a processor for %.1f s of %.1f s, from %.1f s into the recording",
			s.Waited.Seconds(), s.Lasted().Seconds(), max(s.From, 0).Seconds())
	}
	if s.Suspended > 0 {
		return fmt.Sprintf("this machine was suspended, or its clock was set forward, for %.1f s, from %.1f s into the recording",
			s.Suspended.Seconds(), max(s.From, 0).Seconds())
	}
	if s.Outstanding > 0 {
		return fmt.Sprintf("the API server took more than %.1f s over requests of the implementation, or more than %.1f s to tell of changes, "+
			"%.1f s longer in all, between %.1f s and %.1f s into the recording", OrdinaryAnswer.Seconds(), OrdinaryNews.Seconds(), s.Outstanding.Seconds(), s.From.Seconds(), s.Until.Seconds())
	}
	text := fmt.Sprintf("the API server answered nobody for %.1f s, from %.1f s into the recording", s.Lasted().Seconds(), s.From.Seconds())
	if s.From < 0 {
		text = fmt.Sprintf("the API server answered nobody for %.1f s, from %.1f s before the recording", s.Lasted().Seconds(), -s.From.Seconds())
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// Due is when the time d has passed since an instant, in which the API server answered, and the implementation was not waiting for a processor, throughout: a
// standstill has it begin anew when everybody has recovered.
func (h *History) Due(since time.Time, d time.Duration) time.Time {
	// Those of one may have it begin anew within one of the other.
	for {
		begin := h.Answered(h.due(since, d, h.waits()).Add(-d), d).Add(-d)
		if begin.Equal(since) {
			return since.Add(d)
		}
		since = begin
	}
}

// Answered is when the time d has passed since an instant, in which the API server answered throughout, whatever the implementation had of the processors.
func (h *History) Answered(since time.Time, d time.Duration) time.Time {
	return h.due(since, d, h.Standstills)
}

func (h *History) due(since time.Time, d time.Duration, standstills []Standstill) time.Time {
	for _, standstill := range standstills {
		from, recovered := h.shadow(standstill)
		if from.Before(since.Add(d)) && recovered.After(since) {
			since = recovered
		}
	}
	return since.Add(d)
}

// waits are the times in which the implementation waited for a processor, in order.
func (h *History) waits() []Standstill {
	if h.Health == nil {
		return nil
	}
	return h.Health.Waits
}

// AllStandstills are those of the API server, then those of the implementation, and last the delays of its requests in one, if they come to half a second.
func (h *History) AllStandstills() []Standstill {
	all := slices.Concat(h.Standstills, h.waits())
	if n := len(h.Delays); n > 0 {
		if delay := h.delaying(h.Start, h.Start.Add(h.Delays[n-1].Until)); delay != nil && delay.Outstanding >= leastDelays {
			all = append(all, *delay)
		}
	}
	return all
}

// Overshadowing returns the standstill in which the instant lies, or before everybody recovered from it: who acted then may have known, or been told, too
// little. It is nil if there is none.
func (h *History) Overshadowing(instant time.Time) *Standstill {
	return h.Interrupting(instant, instant)
}

// Interrupting returns the first standstill that lies between the instants, or from which not everybody had recovered by then; nil if there is none. One of the
// API server comes before one of the implementation.
func (h *History) Interrupting(from, to time.Time) *Standstill {
	if standstill := h.interrupting(from, to, h.Standstills); standstill != nil {
		return standstill
	}
	return h.interrupting(from, to, h.waits())
}

// Waiting is Hindering for the times in which the implementation alone waited: for a processor, or for an answer of the API server.
func (h *History) Waiting(from, to time.Time) *Standstill {
	if wait := h.interrupting(from, to, h.waits()); wait != nil {
		return wait
	}
	return h.delaying(from, to)
}

func (h *History) interrupting(from, to time.Time, standstills []Standstill) *Standstill {
	for i, standstill := range standstills {
		begin, recovered := h.shadow(standstill)
		if !begin.After(to) && recovered.After(from) {
			return &standstills[i]
		}
	}
	return nil
}

// RecoveredBy is when everybody had last recovered from a standstill of the API server at an instant, the instant itself if that is yet to be; zero if there
// was none.
func (h *History) RecoveredBy(instant time.Time) time.Time {
	var last time.Time
	for _, standstill := range h.Standstills {
		begin, recovered := h.shadow(standstill)
		switch {
		case begin.After(instant):
		case recovered.After(instant):
			return instant
		default:
			last = recovered
		}
	}
	return last
}

func (h *History) shadow(s Standstill) (from, recovered time.Time) {
	return h.Start.Add(s.From), h.Start.Add(s.Recovered())
}

// Standstill appends a standstill.
func (w *Writer) Standstill(standstill Standstill) error {
	return w.write(line{Standstill: &standstill})
}
