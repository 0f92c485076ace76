package story

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// rows is a violation's window of events in words. Entries that are not part of the history, as a judge of something else would leave them, are
// described without the state before them.
type rows struct {
	all    []row
	places map[identity][]int
	read   reading
}

type row struct {
	reports.WindowEvent
	time time.Time
}

// identity distinguishes entries: one resourceVersion may carry an event and several stimuli, and a deleted collection several objects.
type identity struct {
	resourceVersion uint64
	received        time.Duration
	kind            history.Kind
	uid             types.UID
	stimulus        int // its number
	// measured is the measurement's node and target.
	measured [2]string
}

func identityOf(entry history.Entry) identity {
	id := identity{resourceVersion: entry.ResourceVersion, received: entry.Received, kind: entry.Kind}
	if entry.Object != nil {
		id.uid = entry.Object.GetUID()
	}
	if entry.Stimulus != nil {
		id.stimulus = entry.Stimulus.Number
	}
	if entry.Measurement != nil {
		id.measured = [2]string{entry.Measurement.Node, entry.Measurement.Target}
	}
	return id
}

func newRows(window []history.Entry, read reading) *rows {
	r := &rows{places: map[identity][]int{}, read: read}
	for place, entry := range window {
		text := describe(nil, history.Change{Entry: entry}, read)
		if pod, ok := entry.Object.(*corev1.Pod); ok && entry.Type == watch.Modified && history.IsReady(pod) {
			// What the clock did is in no recording: see matchers.PodAvailable.
			text = fmt.Sprintf("%s became available (Ready since %s)", read.subject(pod), clock(history.Ready(pod).LastTransitionTime.Time))
		}
		r.all = append(r.all, rowOf(entry, entry.Time, text))
		r.places[identityOf(entry)] = append(r.places[identityOf(entry)], place)
	}
	return r
}

func rowOf(entry history.Entry, at time.Time, text string) row {
	return row{time: at, WindowEvent: reports.WindowEvent{
		ResourceVersion: entry.ResourceVersion, Node: nodeOf(entry), Event: paragraph.Printable(text),
	}}
}

// see describes the change if it is in the window. The time is the replay's, which follows the order of the events.
func (r *rows) see(cluster *history.Cluster, change history.Change, broke bool) {
	for _, place := range r.places[identityOf(change.Entry)] {
		r.all[place] = rowOf(change.Entry, cluster.Time, describe(cluster, change, r.read))
		r.all[place].Broke = broke
	}
}

// events returns the rows with their distance from the moment; nil for none.
func (r *rows) events(moment time.Time) []reports.WindowEvent {
	var events []reports.WindowEvent
	for _, row := range r.all {
		row.Offset = sinceMoment(row.time, moment)
		events = append(events, row.WindowEvent)
	}
	return events
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
