package revisions_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestHistoryLive(t *testing.T) {
	j := revisions.HistoryLive()
	Breaks(t, j,
		Tell("a pod still runs it", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			first.Gone()
		}),
		Tell("a pod that is terminating still has it", func(b *Builder) {
			ds, pods := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating()
			first.Gone()
		}),
		Tell("a failed pod that nobody has deleted still has it", func(b *Builder) {
			ds, pods := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Failed()
			b.After(time.Second)
			first.Gone()
		}),
		Tell("a pod still runs it, and somebody took its label away", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			b.Stimulus(history.UpdateRevision, first)
			first.Edit(func(revision *appsv1.ControllerRevision) { revision.Labels = nil })
			first.Gone()
		}),
		Tell("one of many pods still runs it", func(b *Builder) {
			ds, pods := Running(b, 3)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			pods[1].Terminating().Gone()
			first.Gone()
		}),
		Tell("a pod of the rollback was just created", func(b *Builder) {
			ds, pods := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			ds.PodOf("v1", "again", NodeName(0))
			first.Gone()
		}),
	)
	Keeps(t, j,
		Tell("the last pod has just gone", func(b *Builder) {
			ds, pods := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Terminating().Gone()
			first.Gone()
		}),
		Tell("a duplicate goes, its twin stays", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Revision("v1", 2)
			first.Gone()
		}),
		Tell("a pod was relabelled before", func(b *Builder) {
			ds, pods := Running(b, 1, keepingNone)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "other" })
			first.Gone()
		}),
		Tell("only another DaemonSet's pod has the label", func(b *Builder) {
			Running(b, 1)
			b.DaemonSet("other").Revision("v1", 1).Gone()
		}),
		Tell("the harness labelled the pod just now", func(b *Builder) {
			ds, pods := Running(b, 1, keepingNone)
			second := ds.Revision("v2", 2)
			b.Stimulus(history.LabelPod, pods[0])
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			b.After(judge.Lag / 2)
			second.Gone()
		}),
		Tell("only a failed pod that is being removed had it", func(b *Builder) {
			ds, pods := Running(b, 1, keepingNone)
			first := ds.Revision("v1", 1)
			ds.Update("v2")
			pods[0].Failed().Terminating()
			b.After(time.Second)
			first.Gone()
		}),
	)
	Ignores(t, j,
		Tell("the harness deletes it", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			b.Stimulus(history.DeleteRevision, first)
			first.Gone()
		}),
		Tell("the DaemonSet is being deleted", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Terminating()
			first.Gone()
		}),
		Tell("the DaemonSet is gone", func(b *Builder) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Gone()
			first.Gone()
		}),
	)
}
