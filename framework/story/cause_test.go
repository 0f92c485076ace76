package story

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// TestWhatTheHarnessDidAfterADeadlineIsNotItsCause: the end of a scenario has the resourceVersion of the last event, which may be long before.
func TestWhatTheHarnessDidAfterADeadlineIsNotItsCause(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	b.DaemonSet("agent").Pod("old", "node-1").Ready()
	last := b.History().Entries[len(b.History().Entries)-1]
	b.After(time.Minute).End(history.Ending{})
	overdue := judge.Violation{ResourceVersion: last.ResourceVersion, Time: last.Time.Add(6 * time.Second), Window: []history.Entry{last}}
	at := causeOf(b.History(), overdue)
	if got := b.History().Entries[at.index]; at.event || got.ResourceVersion != last.ResourceVersion || got.Ending != nil {
		t.Errorf("caused by %+v (an event: %t), want what is before the deadline", got, at.event)
	}
}
