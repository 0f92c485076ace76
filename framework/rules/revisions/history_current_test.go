package revisions_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestHistoryCurrent(t *testing.T) {
	j := revisions.HistoryCurrent()
	Breaks(t, j,
		Tell("a rollback leaves the numbers as they were", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1").Observed()
		}),
		Tell("the new history has the lower number", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 5)
			ds.Update("v2").Revision("v2", 4)
			ds.Observed()
		}),
		Tell("the new history has the number of the old one", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 5)
			ds.Update("v2").Revision("v2", 5)
			ds.Observed()
		}),
		Tell("the new template has no history", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Observed()
			ds.Update("v2").Observed()
		}),
		Tell("a rollback between templates that no pod tells apart", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Set(Tolerating("dedicated")).Revision("v1", 2)
			ds.Observed()
			ds.Set(func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.Tolerations = nil }).Observed()
		}),
	)
	Breaks(t, j, Tell("a predecessor's history of the same content was collected long ago", func(b *Builder) {
		predecessor, _ := Running(b, 1)
		left := predecessor.Revision("v2", 1)
		predecessor.Gone()
		ds := b.DaemonSet("agent")
		ds.Revision("v1", 1)
		ds.Update("v2")
		left.Gone()
		b.After(Long)
		ds.Observed()
	}))
	Keeps(t, j,
		Tell("a rollback gives the old history the highest number", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1")
			first.Renumber(3)
			ds.Observed()
		}),
		Tell("the generation is not reported as observed yet", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1").Counts(1, 1, 1, 1, 1)
		}),
		Tell("an earlier generation is reported as observed", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Set(MaxUnavailable("2")).Update("v1")
			ds.Status(func(status *appsv1.DaemonSetStatus) { status.ObservedGeneration = 3 })
		}),
		Tell("a history with a higher number was adopted, and the generation is not new", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Revision("v2", 2).Renumber(0)
			ds.Observed()
			ds.Revision("v9", 2)
			ds.Counts(1, 1, 1, 1, 1)
		}),
		Tell("another DaemonSet's numbers are higher", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			b.DaemonSet("other").Revision("v1", 9)
			ds.Observed()
		}),
		Tell("two histories of the current template", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Revision("v1", 2)
			ds.Observed()
		}),
	)
	Ignores(t, j,
		Tell("a lone history", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Observed()
		}),
		Tell("the harness just put a history with a higher number there", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			b.Stimulus(history.CreateRevision, Object(history.KindControllerRevision, "agent-v9"))
			ds.Revision("v9", 9)
			ds.Observed()
		}),
		Tell("a predecessor's history of the same content has its name", func(b *Builder) {
			predecessor, _ := Running(b, 1)
			predecessor.Revision("v2", 1)
			predecessor.Gone()
			ds := b.DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Update("v2").Observed()
		}),
		Tell("a predecessor's history of the same content had its name, and was collected just now", func(b *Builder) {
			predecessor, _ := Running(b, 1)
			left := predecessor.Revision("v2", 1)
			predecessor.Gone()
			ds := b.DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Update("v2")
			b.After(Long)
			left.Gone()
			ds.Observed()
		}),
		Tell("data that nobody else can read", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1).Edit(func(revision *appsv1.ControllerRevision) { revision.Data.Raw = []byte(`{"template":"elsewhere"}`) })
			ds.Update("v2").Observed()
		}),
	)
}

// TestHistoryCurrentLasts is about the half that asks for another number.
func TestHistoryCurrentLasts(t *testing.T) {
	j := revisions.HistoryCurrent()
	adopted := func(b *Builder, number int64) *Revision {
		ds, all := fourth(b, 10)
		b.Stimulus(history.CreateRevision, Object(history.KindControllerRevision, "agent-v5"))
		ds.Revision("v5", number)
		return all[3]
	}
	Omits(t, j,
		Tell("a history with a larger number is adopted", func(b *Builder) {
			adopted(b, 100)
			b.After(Long).Mark("end")
		}),
		Tell("a history with the same number is adopted", func(b *Builder) {
			adopted(b, 4)
			b.After(Long).Mark("end")
		}),
		Tell("a rollback leaves the numbers as they were", func(b *Builder) {
			ds, _ := fourth(b, 10)
			ds.Update("v1")
			b.After(Long).Mark("end")
		}),
	)
	Keeps(t, j, Tell("the current history gets a larger one in time", func(b *Builder) {
		current := adopted(b, 100)
		b.After(judge.Prompt)
		current.Renumber(101)
		b.After(Long).Mark("end")
	}))
	Ignores(t, j,
		Tell("a history with a smaller number is adopted", func(b *Builder) {
			adopted(b, 2)
			b.After(Long).Mark("end")
		}),
		Tell("there is no history of the template yet", func(b *Builder) {
			ds, _ := fourth(b, 10)
			ds.Update("v5")
			b.After(Long).Mark("end")
		}),
	)
}
