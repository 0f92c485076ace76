package judge_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestHistoryCurrent(t *testing.T) {
	j := judge.HistoryCurrent()
	breaks(t, j,
		story{"a rollback leaves the numbers as they were", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1").Observed()
		}},
		story{"the new history has the lower number", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 5)
			ds.Update("v2").Revision("v2", 4)
			ds.Observed()
		}},
		story{"the new template has no history", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Observed()
			ds.Update("v2").Observed()
		}},
		story{"a rollback between templates that no pod tells apart", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Set(tolerating("dedicated")).Revision("v1", 2)
			ds.Observed()
			ds.Set(func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.Tolerations = nil }).Observed()
		}},
	)
	keeps(t, j,
		story{"a rollback gives the old history the highest number", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1")
			first.Renumber(3)
			ds.Observed()
		}},
		story{"the generation is not reported as observed yet", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			ds.Observed()
			ds.Update("v1").Counts(1, 1, 1, 1, 1)
		}},
		story{"another DaemonSet's numbers are higher", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			b.DaemonSet("other").Revision("v1", 9)
			ds.Observed()
		}},
		story{"two histories of the current template", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Revision("v1", 2)
			ds.Observed()
		}},
	)
	ignores(t, j,
		story{"a lone history", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			ds.Observed()
		}},
		story{"the harness just put a history with a higher number there", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1)
			b.Stimulus("create ControllerRevision", Object(history.KindControllerRevision, "agent-v9"))
			ds.Revision("v9", 9)
			ds.Observed()
		}},
		story{"a predecessor's history of the same content has its name", func(b *Builder) {
			predecessor, _ := running(b, 1)
			predecessor.Revision("v2", 1)
			predecessor.Gone()
			ds := b.DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Update("v2").Observed()
		}},
		story{"data that nobody else can read", func(b *Builder) {
			ds, _ := running(b, 1)
			ds.Revision("v1", 1).Edit(func(revision *appsv1.ControllerRevision) { revision.Data.Raw = []byte(`{"template":"elsewhere"}`) })
			ds.Update("v2").Observed()
		}},
	)
}

func TestHistoryLive(t *testing.T) {
	j := judge.HistoryLive()
	breaks(t, j,
		story{"a pod still runs it", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			first.Gone()
		}},
		story{"a pod that is terminating still has it", func(b *Builder) {
			ds, pods := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating()
			first.Gone()
		}},
		story{"one of many pods still runs it", func(b *Builder) {
			ds, pods := running(b, 3)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			pods[1].Terminating().Gone()
			first.Gone()
		}},
		story{"a pod of the rollback was just created", func(b *Builder) {
			ds, pods := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			ds.PodOf("v1", "again", node(0))
			first.Gone()
		}},
	)
	keeps(t, j,
		story{"the last pod has just gone", func(b *Builder) {
			ds, pods := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			first.Gone()
		}},
		story{"a duplicate goes, its twin stays", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Revision("v1", 2)
			first.Gone()
		}},
		story{"a pod was relabelled before", func(b *Builder) {
			ds, pods := running(b, 1)
			first := ds.Revision("v1", 1)
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "other" })
			first.Gone()
		}},
		story{"only another DaemonSet's pod has the label", func(b *Builder) {
			running(b, 1)
			b.DaemonSet("other").Revision("v1", 1).Gone()
		}},
		story{"the harness labelled the pod just now", func(b *Builder) {
			ds, pods := running(b, 1)
			second := ds.Revision("v2", 2)
			b.Stimulus("label pod", pods[0])
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			b.After(judge.Lag / 2)
			second.Gone()
		}},
		story{"only a failed pod that is being removed had it", func(b *Builder) {
			ds, pods := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2")
			pods[0].Failed().Terminating()
			b.After(time.Second)
			first.Gone()
		}},
	)
	ignores(t, j,
		story{"the harness deletes it", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			b.Stimulus("delete ControllerRevision", first)
			first.Gone()
		}},
		story{"the DaemonSet is being deleted", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Terminating()
			first.Gone()
		}},
		story{"the DaemonSet is gone", func(b *Builder) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Gone()
			first.Gone()
		}},
	)
}
