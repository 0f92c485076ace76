package judge

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// control is what the harness does to the implementation: while it is halted nothing is due, and what is due counts from when it is at work again.
type control struct {
	halted bool
	// workingSince is when the implementation was last put to work; zero if that was before the recording.
	workingSince time.Time
	// starting are the numbers of the acts that put it to work and have not ended.
	starting map[int]bool
}

func (c *control) stimulus(stimulus *history.Stimulus) {
	c.halted = c.halted || stimulus.Act.Halts()
	if stimulus.Act.Starts() {
		c.starting[stimulus.Number] = true
	}
}

// outcome ends an act. One that failed left the implementation as it was.
func (c *control) outcome(outcome *history.Outcome, now time.Time) {
	if !c.starting[outcome.Stimulus] {
		return
	}
	delete(c.starting, outcome.Stimulus)
	if outcome.Error == "" {
		c.halted, c.workingSince = false, now
	}
}

// interrupted reports whether nothing can be expected of the implementation now: it is halted, or being started.
func (c *control) interrupted() bool { return c.halted || len(c.starting) > 0 }
