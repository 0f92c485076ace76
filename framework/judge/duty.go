package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// pace is the longest that an implementation may take for each pod while it works through them one after another. With the 5 requests a second that client-go
// makes by default there are five for each: to create or delete it, with an Event and a status.
const pace = time.Second

// busy is how many acts on other pods, within what promptly means, excuse that one is late: it is at work.
const busy = int(Prompt / pace)

// Due is an act that the implementation owes while a condition holds.
type Due struct {
	// About names what the act is owed for, such as the UIDs of the pods: if it changes, another act is owed, and the time counts anew.
	About string
	// From is the instant from which it is owed, where the clock decides that; zero if the state does. It may be in the future.
	From time.Time
	// Until is when the clock ends the condition; zero if it does not. What is not overdue by then was never owed for long enough.
	Until time.Time
	// Extra is how much longer than Prompt it may take, for example while a back-off may be running.
	Extra time.Duration
	// Undone says what is missing once the bound has passed, for example "old pod a still there beside available b".
	Undone string
	// Creates: the act is to create a pod. Nobody is held to that while the harness has the API server refuse pods; nor, where the recording is of a watched
	// cluster, before they have created one for the DaemonSet: nothing shows that they may. For a scenario the harness made sure of that.
	Creates bool
	// Rolls: the act takes a rollout on, for which the history of the template has to be there first (HISTORY-008). Creations do, too.
	Rolls bool
	// ByClock: it is owed because time passed, which nothing announces. It counts only if nothing else woke the implementation.
	ByClock bool
	// Done reports whether the step carried it out; nil if that is any act of the implementation on the node, or on any node.
	Done func(*Scene) bool
}

// Condition returns what is owed for the DaemonSet, on the node if the duty is one about nodes, in the state after a step; false if nothing is.
type Condition func(s *Scene, w *Workload, n *Node) (Due, bool)

// DueOnNodes is for an obligation about single nodes.
func DueOnNodes(condition Condition) func(history.Header) Observer {
	return func(history.Header) Observer {
		return &duties{condition: condition, nodes: true, pending: map[dutyKey]*duty{}}
	}
}

// DueOnDaemonSets is for an obligation about a DaemonSet as a whole.
func DueOnDaemonSets(condition Condition) func(history.Header) Observer {
	return func(history.Header) Observer {
		return &duties{condition: condition, pending: map[dutyKey]*duty{}}
	}
}

// duties are an obligation's that are pending.
type duties struct {
	Exercise
	condition Condition
	nodes     bool
	pending   map[dutyKey]*duty
	// earliest is no later than the first deadline of those pending; zero if there is none.
	earliest time.Time
}

type dutyKey struct {
	workload *Workload
	node     *Node
}

type duty struct {
	Due
	dutyKey
	// since is from when the time counts.
	since time.Time
	// acts is how often the implementation had acted by then.
	acts int
	// before is the state then.
	before string
	// waited is a time in which the implementation waited for a processor, without which the deadline would have passed; nil if there is none.
	waited *history.Standstill
	// broken: it was reported, or cannot be decided any more.
	broken bool
	// in are the rule's situations that it has been in.
	in situations
}

// Observe implements Observer.
func (d *duties) Observe(s *Scene) []Violation {
	if d.nodes {
		for w, n := range s.TouchedNodes() {
			d.look(s, dutyKey{w, n})
		}
		return nil
	}
	for _, w := range s.touchedWorkloads() {
		d.look(s, dutyKey{workload: w})
	}
	return nil
}

// look decides anew what is owed.
func (d *duties) look(s *Scene, key dutyKey) {
	known := d.pending[key]
	due, owed := d.condition(s, key.workload, key.node)
	owed = owed && key.workload.Live()
	if known != nil && (!owed || due.About != known.About) {
		d.settle(s, known)
		delete(d.pending, key)
		known = nil
	}
	switch {
	case !owed:
	case known == nil:
		known = &duty{Due: due, dutyKey: key, since: latest(s.Now, due.From), acts: s.memory.acts, before: s.stateOf(key)}
		d.pending[key] = known
		d.await(known.deadline(s))
	default:
		if due.From.After(known.since) {
			known.since, known.waited, known.broken = due.From, nil, false
			d.await(known.deadline(s))
		}
		known.Due = due
	}
	if known != nil {
		known.in |= (d.seen | known.in).in(d.all, Test{Scene: s, Workload: key.workload, Node: key.node})
	}
}

// settle takes note that what was owed no longer is. It was put to the test if the implementation did it, not before it was owed, and not so late that only
// a time without a processor explains it.
func (d *duties) settle(s *Scene, known *duty) {
	done := known.Done
	if done == nil {
		done = func(s *Scene) bool { return s.actedOn(known.dutyKey) }
	}
	if s.Now.Before(known.since) || known.waited != nil || known.ByClock && known.disturbed(s) || !done(s) {
		return
	}
	if known.broken {
		d.PutToTest()
		return
	}
	d.fulfilled(known.in)
}

// disturbed reports whether something else than the clock may have made the implementation look, in the last stretch.
func (d *duty) disturbed(s *Scene) bool {
	return latest(d.workload.wokenAt, s.memory.control.workingSince).After(d.since.Add(-Lag))
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

// Elapse implements Timed.
func (d *duties) Elapse(s *Scene, next time.Time) []Violation {
	if d.earliest.IsZero() || !d.earliest.Before(next) {
		return nil
	}
	d.earliest = time.Time{}
	var violations []Violation
	for key, known := range d.pending {
		if known.broken {
			continue
		}
		late := known.overdue(s, next)
		if late && known.excused(s) {
			d.Doubt(known.waited)
			late = known.overdue(s, next)
		}
		if late {
			known.broken = true
			d.PutToTest()
			violations = append(violations, known.violation(s, key))
			continue
		}
		d.await(known.deadline(s))
	}
	slices.SortFunc(violations, func(a, b Violation) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Node, b.Node))
	})
	return violations
}

// excused reports whether the implementation waited for a processor before the deadline, so that the time counts anew from when it ran again.
func (d *duty) excused(s *Scene) bool {
	if d.waited == nil {
		d.waited = s.Waiting(d.since, d.deadline(s))
		return d.waited != nil
	}
	return false
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
	if m.control.interrupted() || m.control.obstructed[w.Object.Namespace] || !w.Live() || d.Creates && !m.mayCreate(w) {
		// Nothing can be expected yet.
		d.restart(s.Now, m.acts)
		return false
	}
	d.restart(latest(w.changedAt, m.control.workingSince), d.acts)
	if d.Creates || d.Rolls {
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
		// The implementation may be careful.
		d.restart(s.Now, m.acts)
		return false
	}
	if m.acts-d.acts >= busy {
		d.restart(m.actedAt, m.acts)
		return d.deadline(s).Before(next)
	}
	return true
}

// bound is how long it may take.
func (d *duty) bound() time.Duration { return Lag + Prompt + d.Extra }

// deadline is when the bound has passed. While the API server stands still nothing is due; nor, once that matters, while the implementation waits for a
// processor.
func (d *duty) deadline(s *Scene) time.Time {
	if d.waited != nil {
		return s.Due(d.since, d.bound())
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

func (d *duties) await(deadline time.Time) {
	if d.earliest.IsZero() || deadline.Before(d.earliest) {
		d.earliest = deadline
	}
}

func (d *duty) violation(s *Scene, key dutyKey) Violation {
	then := *s
	then.Now = d.deadline(s)
	violation := Violation{
		Time: then.Now, Before: d.before, After: then.stateOf(key), Window: s.Window(key.workload),
		Got: fmt.Sprintf("%s for %s", d.Undone, d.bound()),
	}
	if standstill := d.interrupted(s); standstill != nil {
		violation.Got += ", counted from when everybody had recovered: " + standstill.String()
	}
	if key.node != nil {
		violation.Node = key.node.Name
		violation.Window = s.Window(key.workload, key.node.Everyone()...)
	}
	return violation
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
