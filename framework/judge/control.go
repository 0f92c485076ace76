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
	// begunAt is when the harness last began to put an implementation to work that was halted: it may act before that has ended.
	begunAt time.Time
	// refusing are the namespaces in which the API server creates no pods, or created none for some time, so that the implementation may be backing off.
	refusing map[string]bool
	// keeping are the namespaces in which it deletes some pods on no request, or did not for some time: the implementation may be backing off from what it does
	// with pods, of which a deletion may have to come first.
	keeping map[string]bool
	// obstructed are the namespaces in which it created or deleted no ControllerRevisions, or updated no pods or had none adopted, for some time, so
	// that the implementation may be backing off from everything.
	obstructed map[string]bool
	// starting are the acts that put it to work and have not ended, by number.
	starting map[int]history.Act
	// surge: the feature gate surgeGate is on, or is once the implementation has started; switchedBy is the number of the act that starts it with
	// another one, 0 if there is none.
	surge      bool
	switchedBy int
}

// surgeGate is the feature gate without which maxSurge is ignored (GATE-010).
const surgeGate = "DaemonSetUpdateSurge"

func newControl() control {
	return control{refusing: map[string]bool{}, keeping: map[string]bool{}, obstructed: map[string]bool{}, starting: map[int]history.Act{}, surge: true}
}

func (c *control) stimulus(stimulus *history.Stimulus, now time.Time) {
	if stimulus.Act.Starts() && (c.halted || c.cutOff) {
		c.begunAt = now
	}
	switch stimulus.Act {
	case history.CutOffImplementation:
		c.cutOff = true
	case history.RefusePods:
		c.refusing[stimulus.Name] = true
	case history.RefuseDeletions:
		c.keeping[stimulus.Name] = true
	case history.RefuseRevisions, history.KeepRevisions, history.RefusePodUpdates, history.RefuseAdoptions:
		c.obstructed[stimulus.Name] = true
	default:
		c.halted = c.halted || stimulus.Act.Halts()
	}
	if stimulus.Act.Starts() {
		c.starting[stimulus.Number] = stimulus.Act
	}
	if surge := surges(stimulus); setsGates(stimulus.Act) && surge != c.surge {
		c.surge, c.switchedBy = surge, stimulus.Number
	}
}

// setsGates reports whether the act starts a process with the feature gates that the act says, or those of its file. Others leave them as they are.
func setsGates(act history.Act) bool {
	return act == history.RestartImplementation || act == history.TakeOver || act == history.HandBack
}

// surges reports whether the implementation has the gate on once the act has started it: it does by default.
func surges(stimulus *history.Stimulus) bool {
	on, given := stimulus.Gates[surgeGate]
	return on || !given
}

// switching reports whether the implementation is being started with another feature gate than it had.
func (c *control) switching() bool { return c.switchedBy != 0 }

// outcome ends an act. One that failed left the implementation as it was.
func (c *control) outcome(outcome *history.Outcome, now time.Time) {
	act, starting := c.starting[outcome.Stimulus]
	delete(c.starting, outcome.Stimulus)
	if c.switching() && outcome.Stimulus == c.switchedBy {
		c.switchedBy = 0
		if outcome.Error != "" {
			c.surge = !c.surge
		}
	}
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

// restartedAt is when the implementation was last put to work anew, or began to be; zero if that was before the recording.
func (c *control) restartedAt() time.Time { return latest(c.workingSince, c.begunAt) }

// interrupted reports whether nothing can be expected of the implementation now: it is halted, or being started.
func (c *control) interrupted() bool { return c.halted || c.cutOff || len(c.starting) > 0 }
