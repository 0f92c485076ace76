package story

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// cause is what broke a promise.
type cause struct {
	// index of the entry that did or, if none did, of the last one before; -1 if the history has nothing as early.
	index int
	// event: the entry itself broke the promise. Otherwise it was broken by the passing of time or, without a window, by the state.
	event bool
}

// causeOf finds the event with the violation's resourceVersion. A violation without a window has no event that broke it: the resourceVersion
// is that of the end of what was looked at. Nor has one whose time is later than the event's: what was due did not come. Nor has an answer of
// the API server, which has no resourceVersion either. The entry before is the last one by the clock, as what was due was missed by the clock.
func causeOf(h *history.History, v judge.Violation) cause {
	at := cause{index: -1}
	if v.ResourceVersion == 0 {
		return at
	}
	times := h.Times()
	for i, entry := range h.Entries {
		if entry.ResourceVersion == v.ResourceVersion && entry.Object != nil && len(v.Window) > 0 && !v.Time.After(entry.Time) {
			return cause{index: i, event: true}
		}
		if v.Time.IsZero() && entry.ResourceVersion <= v.ResourceVersion || !v.Time.IsZero() && !times[i].After(v.Time) {
			at.index = i
		}
	}
	return at
}

func gapText(gap history.Gap) string {
	return fmt.Sprintf("events of kind %s after resourceVersion %d may be missing: %s", gap.Kind, gap.After, gap.Reason)
}
