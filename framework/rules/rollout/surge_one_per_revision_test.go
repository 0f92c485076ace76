package rollout_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeOnePerRevision(t *testing.T) {
	j := rollout.SurgeOnePerRevision()
	Breaks(t, j,
		Tell("two updated pods", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			pods[0].Terminating()
			ds.Update("v2").Pod("second", NodeName(0))
			ds.Pod("third", NodeName(0))
		}),
		Tell("two pods of the old template", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").PodOf("v1", "second", NodeName(0))
		}),
		Tell("a second pod without a rollout", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Pod("second", NodeName(0))
		}),
		Tell("a second pod under another label", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "other" })
			ds.Pod("second", NodeName(0))
		}),
		Tell("neither of two pods is like any template, but they have one label", func(b *Builder) {
			b.Nodes(1)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			ds.PodOf("v0", "first", NodeName(0))
			ds.PodOf("v0", "second", NodeName(0))
		}),
	)
	Keeps(t, j,
		Tell("one old, one updated", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("one old, one updated, and the label lies", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("templates that differ only in tolerations", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Set(Tolerating("dedicated")).Pod("second", NodeName(0))
		}),
		Tell("templates that differ only in a label taken away", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"), Labelled("tier", "gold"))
			ds.Set(Unlabelled("tier")).Pod("second", NodeName(0))
		}),
		Tell("the twin is terminating", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0)).Terminating()
			ds.Pod("third", NodeName(0))
		}),
	)
	Ignores(t, j,
		Tell("the twin is on another node", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			b.Node("node-2").Join()
			ds.Pod("second", NodeName(1))
		}),
		Tell("the twin is another DaemonSet's", func(b *Builder) {
			Running(b, 1, MaxSurge("1"))
			b.DaemonSet("other", MaxSurge("1")).Pod("second", NodeName(0))
		}),
	)
}
