package judge_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestSurgeOnePerRevision(t *testing.T) {
	j := judge.SurgeOnePerRevision()
	breaks(t, j,
		story{"two updated pods", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Terminating()
			ds.Update("v2").Pod("second", node(0))
			ds.Pod("third", node(0))
		}},
		story{"two pods of the old template", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").PodOf("v1", "second", node(0))
		}},
		story{"a second pod without a rollout", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Pod("second", node(0))
		}},
		story{"a second pod under another label", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "other" })
			ds.Pod("second", node(0))
		}},
		story{"neither of two pods is like any template, but they have one label", func(b *Builder) {
			b.Nodes(1)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			ds.PodOf("v0", "first", node(0))
			ds.PodOf("v0", "second", node(0))
		}},
	)
	keeps(t, j,
		story{"one old, one updated", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"one old, one updated, and the label lies", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"templates that differ only in tolerations", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Set(tolerating("dedicated")).Pod("second", node(0))
		}},
		story{"templates that differ only in a label taken away", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"), labelled("tier", "gold"))
			ds.Set(unlabelled("tier")).Pod("second", node(0))
		}},
		story{"the twin is terminating", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0)).Terminating()
			ds.Pod("third", node(0))
		}},
	)
	ignores(t, j,
		story{"the twin is on another node", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			b.Node("node-2").Join()
			ds.Pod("second", node(1))
		}},
		story{"the twin is another DaemonSet's", func(b *Builder) {
			running(b, 1, MaxSurge("1"))
			b.DaemonSet("other", MaxSurge("1")).Pod("second", node(0))
		}},
	)
}
