package judge

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// control is what the harness does to the implementation: while it is halted nothing is due, and what is due counts from when it is at work again.
type control struct {
	halted bool
	// cutOff from the API server, which another process would be too.
	cutOff bool
	// workingSince is when the implementation was last put to work; zero if that was before the recording.
	workingSince time.Time
	// refusing are the namespaces in which the API server creates no pods.
	refusing map[string]bool
	// obstructed are the namespaces in which it created no ControllerRevisions for some time, so that the implementation may be backing off from everything.
	obstructed map[string]bool
	// starting are the acts that put it to work and have not ended, by number.
	starting map[int]history.Act
}

func newControl() control {
	return control{refusing: map[string]bool{}, obstructed: map[string]bool{}, starting: map[int]history.Act{}}
}

func (c *control) stimulus(stimulus *history.Stimulus) {
	switch stimulus.Act {
	case history.CutOffImplementation:
		c.cutOff = true
	case history.RefusePods:
		c.refusing[stimulus.Name] = true
	case history.RefuseRevisions:
		c.obstructed[stimulus.Name] = true
	default:
		c.halted = c.halted || stimulus.Act.Halts()
	}
	if stimulus.Act.Starts() {
		c.starting[stimulus.Number] = stimulus.Act
	}
}

// outcome ends an act. One that failed left the implementation as it was.
func (c *control) outcome(outcome *history.Outcome, now time.Time) {
	act, starting := c.starting[outcome.Stimulus]
	delete(c.starting, outcome.Stimulus)
	switch {
	case !starting || outcome.Error != "":
		return
	case act == history.ReconnectImplementation:
		c.cutOff = false
	default:
		c.halted = false
	}
	c.workingSince = now
}

// interrupted reports whether nothing can be expected of the implementation now: it is halted, or being started.
func (c *control) interrupted() bool { return c.halted || c.cutOff || len(c.starting) > 0 }
