package story

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// seen is what a replay showed of a violation's surroundings: every step at which something on the nodes concerned changed.
type seen struct {
	nodes []string
	// alike is how many further nodes each of the nodes stands for.
	alike map[string]int
	pods  map[types.UID]podSeen
	steps []step
	// broke is the index of the step at which the promise broke, -1 if there is none.
	broke  int
	limits string
	// before and after are what the event changed on the violation's node, where the judge did not say.
	before, after string
	// state is what broke the promise, where no event did.
	state   []string
	window  []reports.WindowEvent
	budgets []picture.Budget
	// numbered: what is said of the violation refers to pods by their numbers.
	numbered bool
	read     reading
}

// step is an instant that changes the picture, and the stages of the pods from it on.
type step struct {
	time time.Time
	// mark is the text of a stimulus or of a change of what the pods are to be; empty if only lanes change.
	mark   string
	stages map[types.UID]picture.Stage
}

// look replays the history and keeps what concerns the violation.
func look(h *history.History, v judge.Violation, at cause, numbered bool) *seen {
	s := &seen{broke: -1, read: readAt(h, at), numbered: numbered}
	s.nodes, s.alike = nodesOf(h, v, at)
	w := newWatcher(s.nodes)
	rows, charts := newRows(v.Window, s.read), budgetsOf(v)
	moment := momentOf(h, v)
	pending := !at.event
	index, now := -1, time.Time{}
	pass := func(until time.Time) {
		for _, instant := range w.ripening(now, until) {
			if pending && index >= at.index && !moment.After(instant) {
				s.breakAt(later(moment, now), w)
				pending = false
			}
			s.steps = append(s.steps, w.step(instant, ""))
		}
		if pending && index >= at.index && !moment.After(until) {
			s.breakAt(later(moment, now), w)
			pending = false
		}
	}
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		pass(cluster.Time)
		index++
		now = cluster.Time
		if at.event && index == at.index && v.Node != "" && !told(v) {
			s.before = podsOn(cluster, w.lives, v.Node, now)
		}
		moved, mark := w.see(cluster, change, s.read)
		broke := at.event && index == at.index
		if moved || mark != "" || broke {
			s.steps = append(s.steps, w.step(now, mark))
		}
		if broke {
			s.broke, moment, w.settled = len(s.steps)-1, now, true
		}
		rows.see(cluster, change, broke)
		charts.see(cluster, change.Entry, index)
		if index == at.index {
			s.limits = limitsOf(cluster, workloadOf(cluster, v, h.Entries[index]), later(moment, now))
			switch {
			case !at.event && (v.Node == "" || !told(v)):
				s.state = stateOf(cluster, v.Node, later(moment, now))
			case s.before != "":
				s.after = podsOn(cluster, w.lives, v.Node, now)
			}
		}
	})
	pass(later(moment, now))
	s.pods, s.window, s.budgets = w.seen, rows.events(moment), charts.pictures(at.index, moment)
	return s
}

// told reports whether the judge said what the event changed.
func told(v judge.Violation) bool { return v.Before != "" || v.After != "" }

// breakAt makes the moment a step of its own, where no event broke the promise.
func (s *seen) breakAt(moment time.Time, w *watcher) {
	s.steps = append(s.steps, w.step(moment, ""))
	s.broke = len(s.steps) - 1
	w.settled = true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// ripening returns the instants after the first and not after the second at which one of the pods becomes available by waiting, in order.
func (w *watcher) ripening(after, until time.Time) []time.Time {
	var instants []time.Time
	for _, life := range w.lives {
		if from, ripens := life.ripens(after, until); ripens && !after.IsZero() {
			instants = append(instants, from)
		}
	}
	slices.SortFunc(instants, time.Time.Compare)
	return slices.CompactFunc(instants, time.Time.Equal)
}
