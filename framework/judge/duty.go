package judge

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// pace is the longest that an implementation may take for each pod while it works through them one after another. With the 5 requests a second that client-go
// makes by default there are five for each: to create or delete it, with an Event and a status.
const pace = time.Second

// busy is how many acts on other pods, within what promptly means, excuse that one is late: it is at work.
const busy = int(Prompt / pace)

type duty struct {
	Due
	dutyKey
	// since is from when the time counts.
	since time.Time
	// acts is how often the implementation had acted by then.
	acts int
	// before is the state then.
	before string
	// waited is a time in which the implementation waited for a processor or for answers, without which the deadline would have passed; nil if there is none.
	waited *history.Standstill
	// broken: it was reported, or cannot be decided any more.
	broken bool
	// in are the rule's situations that it has been in.
	in situations
}

// excused reports whether the implementation waited before the deadline: for a processor, so that the time counts anew from when it ran again, or for answers, so
// that it takes as much longer.
func (d *duty) excused(s *Scene) bool {
	if d.waited == nil {
		d.waited = s.Waiting(d.since, d.deadline(s))
		return d.waited != nil
	}
	return false
}

// disturbed reports whether something else than the clock may have made the implementation look, in the last stretch.
func (d *duty) disturbed(s *Scene) bool {
	return latest(d.workload.wokenAt, s.memory.control.workingSince).After(d.since.Add(-Lag))
}

// restart has the time count from an instant, if that is later than the one from which it does.
func (d *duty) restart(from time.Time, acts int) {
	if from.After(d.since) {
		d.since, d.waited = from, nil
	}
	d.acts = acts
}

// overdue reports whether the deadline passes before the time. What resets the clock is taken into account here, when it matters.
func (d *duty) overdue(s *Scene, next time.Time) bool {
	w, m := d.workload, s.memory
	if m.control.interrupted() || m.control.obstructed[w.Object.Namespace] || !w.Live() || d.Creates && !m.mayCreate(w) || d.ofPods() && m.control.keeping[w.Object.Namespace] {
		// Nothing can be expected yet.
		d.restart(s.Now, m.acts)
		return false
	}
	d.restart(latest(w.changedAt, m.control.workingSince), d.acts)
	if d.ofPods() {
		// The history of a template comes first (HISTORY-008), before any pod is created or deleted for it.
		d.restart(w.recordedAt, d.acts)
	}
	if d.Creates {
		d.restart(w.createdAt, d.acts)
	}
	deadline := d.deadline(s)
	if !deadline.Before(next) {
		return false
	}
	if d.ByClock && (d.disturbed(s) || !d.since.Equal(d.From) || !d.deadline(s).Equal(d.since.Add(d.bound()))) || !d.Until.IsZero() && d.Until.Before(deadline) {
		// It cannot be told any more what the clock alone would have made the implementation do.
		d.broken = true
		return false
	}
	if s.Cluster.Unproved() != "" {
		// The implementation may count that pod as unavailable.
		d.restart(s.Now, m.acts)
		return false
	}
	if m.acts-d.acts >= busy {
		d.restart(m.actedAt, m.acts)
		return d.deadline(s).Before(next)
	}
	return true
}

// ofPods: the act is to create, delete or patch a pod.
func (d *duty) ofPods() bool { return d.Creates || d.Rolls || d.node != nil }

// bound is how long it may take.
func (d *duty) bound() time.Duration { return Lag + Prompt + d.Extra }

// deadline is when the bound has passed. While the API server stands still nothing is due; nor, once that matters, while the implementation waits for a
// processor or for answers.
func (d *duty) deadline(s *Scene) time.Time {
	if d.waited != nil {
		return s.Allowed(d.since, d.bound())
	}
	return s.Answered(d.since, d.bound())
}

// interrupted is the standstill that moves the deadline; nil if there is none.
func (d *duty) interrupted(s *Scene) *history.Standstill {
	if d.waited != nil {
		return d.waited
	}
	return s.memory.h.Interrupting(d.since, d.since.Add(d.bound()))
}

func (d *duty) violation(s *Scene, key dutyKey) Violation {
	then := *s
	then.Now = d.deadline(s)
	violation := Violation{
		Time: then.Now, Before: d.before, After: then.stateOf(key), Window: s.Window(key.workload),
		Got: fmt.Sprintf("%s for %s", d.Undone, d.bound()),
	}
	if standstill := d.interrupted(s); standstill != nil {
		violation.Got += ", " + standstill.Counted()
	}
	if key.node != nil {
		violation.Node = key.node.Name
		violation.Window = s.Window(key.workload, key.node.Everyone()...)
	}
	return violation
}

// actedOn reports whether the implementation created, deleted or patched a pod of the DaemonSet in this step, on the node if one is given.
func (s *Scene) actedOn(key dutyKey) bool {
	var pod *Pod
	switch {
	case s.Created != nil:
		pod = s.Created.Pod
	case s.Removed != nil && s.Removed.Voluntary:
		pod = s.Removed.Pod
	case s.Patched != nil && s.Patched.Voluntary:
		pod = s.Patched.Pod
	default:
		return false
	}
	return pod.Workload == key.workload && (key.node == nil || pod.Node == key.node)
}

// stateOf describes the node's pods, or the DaemonSet's status.
func (s *Scene) stateOf(key dutyKey) string {
	if key.node == nil {
		return StatusNumbers(key.workload.Object.Status)
	}
	_, now := s.states(key.workload, key.node)
	return now
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
