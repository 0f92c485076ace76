package simulation

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Bounds of a simulation: beyond them the controller goes round in circles.
const (
	patience  = 12 * time.Hour
	mostSteps = 40_000
)

// live lets the schedule happen to a DaemonSet that is up and running, and then checks that it converges and comes to rest.
func (w *world) live(s schedule, f flavour) error {
	w.advance(30 * time.Second)
	w.carryOut(s, f)
	if w.objection != nil {
		return w.objection
	}
	if err := w.settle(); err != nil {
		return err
	}
	before := w.api.version
	if err := w.ask(); err != nil {
		return err
	}
	if w.api.version != before {
		return broken("AVAIL-005", "what the passing of time makes due is done without being asked: got %s only when asked", w.since(before))
	}
	if err := w.converged(); err != nil {
		return err
	}
	return w.restarted()
}

// settle makes the environment kind and waits until nothing is left that could happen: no event on its way, no timer, no write.
func (w *world) settle() error {
	w.kubelets.becomeKind()
	for _, node := range slices.Sorted(maps.Keys(w.scheduler.full)) {
		w.scheduler.makeRoom(node)
	}
	w.admit()
	w.admitDeletions()
	w.admitUpdates()
	w.reconnect()
	if w.controller.process == nil {
		w.startController()
	}
	return w.drain()
}

// drain lets happen what is going to happen, until there is nothing more.
func (w *world) drain() error {
	deadline := w.clock.now.Add(patience)
	for w.clock.advance(deadline) {
		if w.steps() > mostSteps {
			return broken("SURGE-025", "a kind environment does not settle: got %d steps", w.steps())
		}
	}
	if len(w.clock.queue) > 0 {
		return broken("SURGE-025", "a kind environment does not settle: something is still planned after %s", patience)
	}
	return nil
}

// ask has the settled controller look again although nothing changed. What it does then it should have done before; what it does when asked
// once more it will never stop doing.
func (w *world) ask() error {
	w.controller.wake(w.controller.process, 0)
	if err := w.drain(); err != nil {
		return err
	}
	before, writes := w.api.version, w.controller.faults.writes
	w.controller.wake(w.controller.process, 0)
	if err := w.drain(); err != nil {
		return err
	}
	if w.api.version != before {
		return broken("SURGE-025", "nothing is left to do: got %s", w.since(before))
	}
	return w.writesNothing(writes)
}

// writesNothing checks that there were no more requests to write than those, not even requests that change nothing.
func (w *world) writesNothing(writes int) error {
	if got := w.controller.faults.writes - writes; got > 0 {
		return broken("SURGE-025", "nothing is left to write: got %d requests", got)
	}
	return nil
}

// restarted checks that a new process finds nothing to do where the one before had settled.
func (w *world) restarted() error {
	// Long enough after the last change for a new process not to be shown the past.
	w.advance(time.Minute)
	before, writes := w.api.version, w.controller.faults.writes
	w.startController()
	if err := w.drain(); err != nil {
		return err
	}
	if w.api.version != before {
		return broken("SURGE-025", "nothing is left to do after a restart: got %s", w.since(before))
	}
	return w.writesNothing(writes)
}

// since describes the first change after a resource version.
func (w *world) since(version uint64) string {
	for _, entry := range w.api.entries {
		if entry.Object != nil && entry.ResourceVersion > version {
			return fmt.Sprintf("%s %s %s", entry.Type, entry.Kind, entry.Object.GetName())
		}
	}
	return "nothing"
}
