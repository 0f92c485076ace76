package rollout_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeSpares(t *testing.T) {
	j := rollout.SurgeSpares()
	// closed is a rollout in which the first of three nodes is not eligible any more.
	closed := func(b *Builder) []*Pod {
		ds, pods := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		return pods
	}
	Breaks(t, j,
		Tell("another node has no available pod", func(b *Builder) {
			pods := closed(b)
			pods[1].Unready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("two nodes are closed and one pod is to spare", func(b *Builder) {
			pods := closed(b)
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			pods[2].Unready()
			b.After(Long)
			pods[0].Terminating()
			pods[1].Terminating()
		}),
	)
	Breaks(t, j, Tell("the node was closed just now", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		pods[1].Unready()
		b.After(Long)
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		pods[0].Terminating()
	}))
	Keeps(t, j,
		Tell("every eligible node has an available pod", func(b *Builder) {
			pods := closed(b)
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("another pod stopped being available just now", func(b *Builder) {
			pods := closed(b)
			b.After(Long)
			b.Stimulus(history.BecomeUnready, pods[1])
			pods[1].Unready()
			b.After(judge.Lag / 2)
			pods[0].Terminating()
		}),
		Tell("another node became eligible just now", func(b *Builder) {
			pods := closed(b)
			b.After(Long)
			b.Node("late").Join()
			b.After(judge.Lag / 2)
			pods[0].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("the node must not keep its pod", func(b *Builder) {
			pods := closed(b)
			pods[1].Unready()
			b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the old pod is not Ready", func(b *Builder) {
			pods := closed(b)
			pods[0].Unready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the node repelled its pods until just now", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			ds.Update("v2")
			pods[1].Unready()
			b.After(Long)
			node := b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
			node.Edit(func(node *corev1.Node) { node.Spec.Taints[0].Effect = corev1.TaintEffectNoSchedule })
			b.After(judge.Lag / 2)
			pods[0].Terminating()
		}),
	)
}
