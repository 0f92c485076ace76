package revisions_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestHistoryReused(t *testing.T) {
	rule := revisions.HistoryReused()
	// rolledBack is a DaemonSet of which a template is in force again.
	rolledBack := func(b *Builder) (*DaemonSet, *Revision) {
		ds, _ := Running(b, 1)
		first := ds.Revision("v1", 1)
		ds.Update("v2").Revision("v2", 2)
		b.After(Long)
		return ds.Update("v1"), first
	}
	Breaks(t, rule, Tell("a rollback makes another history of the template", func(b *Builder) {
		ds, _ := rolledBack(b)
		ds.Revision("v1", 3)
	}))
	Keeps(t, rule, Tell("a rollback gives the history of the template another number", func(b *Builder) {
		_, first := rolledBack(b)
		first.Renumber(3)
	}))
	Ignores(t, rule,
		Tell("the history of the template is gone", func(b *Builder) {
			ds, first := rolledBack(b)
			b.Stimulus(history.DeleteRevision, first)
			first.Gone()
			b.After(Long)
			ds.Revision("v1", 3)
		}),
		Tell("somebody else has taken a label off the history of the template", func(b *Builder) {
			ds, first := rolledBack(b)
			b.Stimulus(history.UpdateRevision, first)
			b.After(Long)
			ds.Revision("v1", 3)
		}),
		Tell("somebody else makes another history of the template", func(b *Builder) {
			ds, _ := rolledBack(b)
			b.Stimulus(history.CreateRevision, Object(history.KindControllerRevision, "agent-v1"))
			ds.Revision("v1", 3)
		}),
	)
}
