package revisions_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestHistoryCurrent(t *testing.T) {
	j := revisions.HistoryCurrent()
	adopted := func(b *Builder, number int64) *Revision {
		ds, all := fourth(b, 10)
		b.Stimulus(history.CreateRevision, Object(history.KindControllerRevision, "agent-v5"))
		ds.Revision("v5", number)
		return all[3]
	}
	Omits(t, j,
		Tell("a rollback leaves the numbers as they were", func(b *Builder) {
			ds, _ := fourth(b, 10)
			ds.Update("v1").Observed()
			b.After(Long).Mark("end")
		}),
		Tell("the new history has the lower number", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 5)
			ds.Update("v2").Revision("v2", 4)
			b.After(Long).Mark("end")
		}),
		Tell("the new history has the number of the old one", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 5)
			ds.Update("v2").Revision("v2", 5)
			b.After(Long).Mark("end")
		}),
		Tell("the new template has no history", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Observed()
			b.After(Long).Mark("end")
		}),
		Tell("a rollback between templates that no pod tells apart", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Set(Tolerating("dedicated")).Revision("v1", 2)
			ds.Set(func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.Tolerations = nil }).Observed()
			b.After(Long).Mark("end")
		}),
		Tell("a predecessor's history of the same content was collected", func(b *Builder) {
			predecessor, _ := Running(b, 1)
			left := predecessor.Revision("v2", 1)
			predecessor.Gone()
			ds := b.DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Update("v2")
			left.Gone()
			b.After(Long).Mark("end")
		}),
		Tell("a history with a larger number is adopted", func(b *Builder) {
			adopted(b, 100)
			b.After(Long).Mark("end")
		}),
		Tell("a history with the same number is adopted", func(b *Builder) {
			adopted(b, 4)
			b.After(Long).Mark("end")
		}),
	)
	Keeps(t, j,
		Tell("a rollback gives the old history the highest number", func(b *Builder) {
			ds, all := fourth(b, 10)
			ds.Update("v1")
			all[0].Renumber(5)
			ds.Observed()
			b.After(Long).Mark("end")
		}),
		Tell("the generation of a rollback is reported as observed before the history has its number", func(b *Builder) {
			ds, all := fourth(b, 10)
			ds.Update("v1").Observed()
			b.After(judge.Prompt)
			all[0].Renumber(5)
			b.After(Long).Mark("end")
		}),
		Tell("a generation is reported as observed before its template has a history", func(b *Builder) {
			ds, _ := fourth(b, 10)
			ds.Update("v5").Observed()
			b.After(judge.Prompt)
			ds.Revision("v5", 5)
			b.After(Long).Mark("end")
		}),
		Tell("a history with a smaller number is adopted", func(b *Builder) {
			adopted(b, 2)
			b.After(Long).Mark("end")
		}),
		Tell("the current history gets a larger number in time, once one with a larger number is adopted", func(b *Builder) {
			current := adopted(b, 100)
			b.After(judge.Prompt)
			current.Renumber(101)
			b.After(Long).Mark("end")
		}),
	)
	held := func(b *Builder) *Revision {
		_, all := fourth(b, 10)
		b.Stimulus(history.DeleteRevision, all[3])
		return all[3].Edit(func(revision *appsv1.ControllerRevision) {
			revision.DeletionTimestamp = &metav1.Time{Time: b.Now()}
			revision.Finalizers = []string{"example.com/hold"}
		})
	}
	Keeps(t, j, Tell("the current history was deleted, and is held back by a finalizer", func(b *Builder) {
		held(b)
		b.After(Long).Mark("end")
	}))
	Omits(t, j, Tell("the current history was deleted, and no other comes when it is gone", func(b *Builder) {
		current := held(b)
		b.After(Long)
		current.Gone()
		b.After(Long).Mark("end")
	}))
	Ignores(t, j,
		Tell("a lone history", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Observed()
			b.After(Long).Mark("end")
		}),
		Tell("two histories of the current template", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Revision("v1", 2)
			ds.Observed()
			b.After(Long).Mark("end")
		}),
		Tell("another DaemonSet's numbers are higher", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			b.DaemonSet("other").Revision("v1", 9)
			b.After(Long).Mark("end")
		}),
		Tell("a predecessor's history of the same content has its name", func(b *Builder) {
			predecessor, _ := Running(b, 1)
			predecessor.Revision("v2", 1)
			predecessor.Gone()
			ds := b.DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Update("v2").Observed()
			b.After(Long).Mark("end")
		}),
		Tell("data that nobody else can read", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 2)
			b.Stimulus(history.CreateRevision, Object(history.KindControllerRevision, "agent-v0"))
			ds.Revision("v0", 1).Edit(func(revision *appsv1.ControllerRevision) { revision.Data.Raw = []byte(`{"template":"elsewhere"}`) })
			ds.Update("v2").Observed()
			b.After(Long).Mark("end")
		}),
	)
}
