package story

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// Part is the part of a recording that is shown.
type Part struct {
	// Node alone. Default: all.
	Node string
	// From and To bound the time since the recording began, both included. To 0: its end.
	From, To time.Duration
}

// Show returns the recording, or a part of it, to be looked at: every change of a pod's life, every number of a budget, every event in words. Pods are called
// updated or old as they were when they were last seen. It fails for a node that nothing in the recording names, and for a time after its end.
func Show(h *history.History, part Part) (*reports.Recording, error) {
	shown := &reports.Recording{Scenario: h.Scenario, Started: h.Start}
	nodes := nodesIn(h)
	if part.Node != "" {
		if !slices.Contains(nodes, part.Node) {
			return nil, fmt.Errorf("no event of the recording is on node %q; its nodes are %s", part.Node, named(nodes))
		}
		nodes = []string{part.Node}
	}
	at := cause{index: len(h.Entries) - 1}
	s := &seen{nodes: nodes, read: readAt(h, at)}
	w := newWatcher(nodes)
	rows, charts := newRows(wholeWindow(h, part), s.read), allBudgets()
	now, index := time.Time{}, -1
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		for _, instant := range w.ripening(now, cluster.Time) {
			s.steps = append(s.steps, w.step(instant, ""))
		}
		now = cluster.Time
		moved, mark := w.see(cluster, change, s.read)
		if moved || mark != "" {
			s.steps = append(s.steps, w.step(now, mark))
		}
		rows.see(cluster, change, false)
		index++
		charts.see(cluster, change.Entry, index)
	})
	if part.From > now.Sub(h.Start) {
		return nil, fmt.Errorf("the recording ends after %s, before %s", now.Sub(h.Start).Round(time.Millisecond), part.From)
	}
	s.pods = w.seen
	shown.Events = rows.events(h.Start)
	shown.Picture, shown.Budgets = s.whole(h.Start, part), charts.during(h.Start, part)
	for _, m := range Measurements(h, "") {
		if part.Node == "" || m.Node == part.Node {
			shown.Measurements = append(shown.Measurements, m)
		}
	}
	if h.Damage != "" {
		shown.Notes = append(shown.Notes, "it is not whole: "+paragraph.Printable(h.Damage)+". What comes before that is shown.")
	}
	for _, gap := range h.Gaps {
		shown.Notes = append(shown.Notes, paragraph.Printable(gapText(gap)))
	}
	return shown, nil
}

// wholeWindow is every entry of the part. What the harness was answered is left out, but for evictions: it changes nothing that is drawn.
func wholeWindow(h *history.History, part Part) []history.Entry {
	return slices.DeleteFunc(slices.Clone(h.Entries), func(entry history.Entry) bool {
		node := nodeOf(entry)
		return !part.covers(entry.Time.Sub(h.Start)) || part.Node != "" && node != "" && node != part.Node ||
			entry.Exchange != nil && !isEviction(entry) || entry.Outcome != nil && !entry.Outcome.Refused && entry.Outcome.Error == ""
	})
}

// covers reports whether the time since the recording's beginning is in the part.
func (p Part) covers(at time.Duration) bool { return at >= p.From && (p.To == 0 || at <= p.To) }

// whole is the picture of all steps that the part covers, from the recording's beginning; nil if there are none, or no nodes. It begins with the state at the part's
// beginning, so that a pod that does not change within it is drawn.
func (s *seen) whole(start time.Time, part Part) *picture.Picture {
	first := len(s.steps)
	last := 0
	for i, step := range s.steps {
		if part.covers(step.time.Sub(start)) {
			first, last = min(first, i), i+1
		}
	}
	shown := s.steps[min(first, last):last]
	if first > 0 && part.From > 0 {
		before := s.steps[min(first, len(s.steps))-1]
		before.time, before.mark = start.Add(part.From), ""
		shown = append([]step{before}, shown...)
	}
	if len(shown) == 0 || len(s.nodes) == 0 {
		return nil
	}
	p := &picture.Picture{}
	for i, step := range shown {
		at := sinceMoment(step.time, start)
		p.Steps = append(p.Steps, at)
		if step.mark != "" {
			p.Marks = append(p.Marks, picture.Mark{Step: i, At: at, Text: paragraph.Printable(step.mark)})
		}
	}
	for _, node := range s.nodes {
		p.Nodes = append(p.Nodes, picture.Node{Name: node, Lanes: s.lanes(node, shown)})
	}
	return p
}

// nodesIn returns the nodes that the entries name, in order.
func nodesIn(h *history.History) []string {
	names := map[string]bool{}
	for _, entry := range h.Entries {
		if _, pod := entry.Object.(*corev1.Pod); pod || entry.Kind == history.KindNode || entry.Measurement != nil {
			names[nodeOf(entry)] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

func named(nodes []string) string {
	const most = 8
	if len(nodes) == 0 {
		return "none"
	}
	text := fmt.Sprint(nodes[:min(most, len(nodes))])
	if hidden := len(nodes) - most; hidden > 0 {
		text += fmt.Sprintf(" and %d more", hidden)
	}
	return text
}
