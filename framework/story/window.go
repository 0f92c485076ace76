package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// tableRows bounds the table of a story; the report holds the whole window.
const tableRows = 20

// Window returns the violation's window of events in words, for the report. Entries that are not part of the history, as a judge of
// something else would leave them, are described without the state before them.
func Window(h *history.History, v judge.Violation) []reports.WindowEvent {
	rows := windowOf(h, v)
	events := make([]reports.WindowEvent, 0, len(rows))
	for _, row := range rows {
		events = append(events, row.WindowEvent)
	}
	if len(events) == 0 {
		return nil
	}
	return events
}

// windowRow is one event of the window; broke marks the one that broke the promise.
type windowRow struct {
	reports.WindowEvent
	broke bool
}

// identity tells entries apart: one resourceVersion may carry an event and several stimuli, and a deleted collection several objects.
type identity struct {
	resourceVersion uint64
	received        time.Duration
	kind            history.Kind
	uid             types.UID
	stimulus        history.Stimulus
	// measured is the measurement's node and target.
	measured [2]string
}

func identityOf(entry history.Entry) identity {
	id := identity{resourceVersion: entry.ResourceVersion, received: entry.Received, kind: entry.Kind}
	if entry.Object != nil {
		id.uid = entry.Object.GetUID()
	}
	if entry.Stimulus != nil {
		id.stimulus = *entry.Stimulus
	}
	if entry.Measurement != nil {
		id.measured = [2]string{entry.Measurement.Node, entry.Measurement.Target}
	}
	return id
}

func windowOf(h *history.History, v judge.Violation) []windowRow {
	moment := momentOf(h, v)
	at, exact := eventOf(h, v)
	row := func(entry history.Entry, text string) windowRow {
		return windowRow{WindowEvent: reports.WindowEvent{
			ResourceVersion: entry.ResourceVersion,
			Offset:          entry.Time.Sub(moment),
			Node:            nodeOf(entry),
			Event:           paragraph.Printable(text),
		}}
	}
	rows := make([]windowRow, len(v.Window))
	places := map[identity][]int{}
	for place, entry := range v.Window {
		rows[place] = row(entry, Describe(nil, history.Change{Entry: entry}))
		places[identityOf(entry)] = append(places[identityOf(entry)], place)
	}
	if len(rows) == 0 {
		return nil
	}
	index := -1
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		index++
		for _, place := range places[identityOf(change.Entry)] {
			rows[place] = row(change.Entry, Describe(cluster, change))
			rows[place].broke = exact && index == at
		}
	})
	return rows
}

// eventOf returns the index of the entry that broke the promise: the event with the violation's resourceVersion. When there is none,
// because the promise was broken by the passing of time, it is the last entry before and not exact; -1 if the history has nothing as
// early.
func eventOf(h *history.History, v judge.Violation) (at int, exact bool) {
	at = -1
	for i, entry := range h.Entries {
		if entry.ResourceVersion == v.ResourceVersion && entry.Object != nil {
			return i, true
		}
		if entry.ResourceVersion <= v.ResourceVersion {
			at = i
		}
	}
	return at, false
}

// nodeOf is the node that an entry is about.
func nodeOf(entry history.Entry) string {
	if entry.Stimulus != nil {
		return entry.Stimulus.Node
	}
	if entry.Measurement != nil {
		return entry.Measurement.Node
	}
	switch object := entry.Object.(type) {
	case *corev1.Pod:
		return history.NodeOf(object)
	case *corev1.Node:
		return object.Name
	}
	return ""
}

func eventTable(rows []windowRow) string {
	var out strings.Builder
	out.WriteString("\n")
	if len(rows) == 0 {
		out.WriteString(paragraph.Hang("", "  No run of events shows it: the states before and after are the evidence.", 2, width))
		return out.String() + "\n"
	}
	first, last := tableRange(rows)
	versions := len("rv")
	for _, row := range rows[first:last] {
		versions = max(versions, len(strconv.FormatUint(row.ResourceVersion, 10)))
	}
	fmt.Fprintf(&out, "    %*s  %9s  what happened\n", versions, "rv", "seconds")
	if first > 0 {
		fmt.Fprintf(&out, "    %*s  %9s  (%d earlier ones are in the report)\n", versions, "", "", first)
	}
	for _, row := range rows[first:last] {
		mark := ' '
		if row.broke {
			mark = '>'
		}
		label := fmt.Sprintf("  %c %*d  %+9.3f  ", mark, versions, row.ResourceVersion, row.Offset.Seconds())
		out.WriteString(paragraph.Hang(label, row.Event, len(label), width))
	}
	if last < len(rows) {
		fmt.Fprintf(&out, "    %*s  %9s  (%d later ones are in the report)\n", versions, "", "", len(rows)-last)
	}
	return out.String() + "\n"
}

// tableRange keeps the rows that fit, the one that broke the promise among them and most of the others before it.
func tableRange(rows []windowRow) (first, last int) {
	if len(rows) <= tableRows {
		return 0, len(rows)
	}
	broke := slices.IndexFunc(rows, func(row windowRow) bool { return row.broke })
	if broke < 0 {
		broke = len(rows) - 1
	}
	last = min(len(rows), max(broke+tableRows/4, tableRows))
	return last - tableRows, last
}
