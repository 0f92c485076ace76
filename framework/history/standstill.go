package history

import (
	"fmt"
	"time"
)

// Standstill is a stretch in which nobody had an answer of the API server, as far as the harness could tell: nothing that was written then is known to have
// been stored, and of nothing that was stored is anybody known to have heard. It is longer than a controller's watches may be late.
type Standstill struct {
	// From is when an answer last came in time, Until when one did again, since the recording began; negative for before. One under way at the
	// recording's end ends there.
	From  time.Duration `json:"from"`
	Until time.Duration `json:"until"`
	// Error is what a request failed with meanwhile; empty if none did.
	Error string `json:"error,omitempty"`
}

// Lasted is how long it was.
func (s Standstill) Lasted() time.Duration { return s.Until - s.From }

// Recovered is when everybody has to be at work again, since the recording began: as long again after its end as it lasted. Whoever retries with delays
// that double, as controllers and their watches do, has no more than that to wait when the API server answers again.
func (s Standstill) Recovered() time.Duration { return s.Until + s.Lasted() }

// String says what happened, and when.
func (s Standstill) String() string {
	text := fmt.Sprintf("the API server answered nobody for %.1f s, from %.1f s into the recording", s.Lasted().Seconds(), s.From.Seconds())
	if s.From < 0 {
		text = fmt.Sprintf("the API server answered nobody for %.1f s, from %.1f s before the recording", s.Lasted().Seconds(), -s.From.Seconds())
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// Due is when the time d has passed since an instant, in which the API server answered throughout: a standstill has it begin anew when everybody has
// recovered.
func (h *History) Due(since time.Time, d time.Duration) time.Time {
	for _, standstill := range h.Standstills {
		from, recovered := h.shadow(standstill)
		if from.Before(since.Add(d)) && recovered.After(since) {
			since = recovered
		}
	}
	return since.Add(d)
}

// Overshadowing returns the standstill in which the instant lies, or before everybody recovered from it: who acted then may have known, or been told, too
// little. It is nil if there is none.
func (h *History) Overshadowing(instant time.Time) *Standstill {
	return h.Interrupting(instant, instant)
}

// Interrupting returns the first standstill that lies between the instants, or from which not everybody had recovered by then; nil if there is none.
func (h *History) Interrupting(from, to time.Time) *Standstill {
	for i, standstill := range h.Standstills {
		begin, recovered := h.shadow(standstill)
		if !begin.After(to) && recovered.After(from) {
			return &h.Standstills[i]
		}
	}
	return nil
}

// RecoveredBy is when everybody had last recovered from a standstill at an instant, the instant itself if that is yet to be; zero if there was none.
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
