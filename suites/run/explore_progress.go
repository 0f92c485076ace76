package run

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// explored says how an exploration gets on while it plays: which requirement is broken as soon as one is for the first time, and how many schedules have been
// played once in a while.
type explored struct {
	out io.Writer
	// began is when the first schedule did, told when a number was last given.
	began, told   time.Time
	played, broke int
	broken        []requirements.ID
}

// explorePace is how long it is silent about what breaks nothing new.
const explorePace = time.Minute

// see takes an event of the run in.
func (e *explored) see(event reports.Event) {
	switch event.Event {
	case reports.EventRunBegan:
		e.began, e.told = event.Time, event.Time
	case reports.EventSpecEnded:
		e.ended(event)
	}
}

func (e *explored) ended(event reports.Event) {
	e.played++
	var fresh []requirements.ID
	for _, one := range event.Requirements {
		if one.Verdict == reports.Fail && one.Requirement != everything && !slices.Contains(e.broken, one.Requirement) {
			fresh = append(fresh, one.Requirement)
		}
	}
	if event.Verdict == reports.Fail {
		e.broke++
	}
	e.broken = append(e.broken, fresh...)
	for _, id := range fresh {
		fmt.Fprintf(e.out, "rollcall: %s: %s is broken, in %s\n", event.Time.Sub(e.began).Round(time.Second), id, event.Recording)
	}
	if event.Time.Sub(e.told) >= explorePace {
		e.told = event.Time
		fmt.Fprintf(e.out, "rollcall: %s: %d schedules played, %d of them broke a promise\n", event.Time.Sub(e.began).Round(time.Second), e.played, e.broke)
	}
}

// readEvents hands each event over until there are no more. What follows one that cannot be read is left out, so that whoever writes them can go on.
func readEvents(from io.Reader, see func(reports.Event)) {
	decoder := json.NewDecoder(from)
	for {
		var event reports.Event
		if err := decoder.Decode(&event); err != nil {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		see(event)
	}
}
