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

func TestTargetNodes(t *testing.T) {
	j := rollout.TargetNodes()
	repelling := func(b *Builder) *DaemonSet {
		b.Nodes(2).Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		b.After(Long)
		return b.DaemonSet("agent")
	}
	elsewhere := func(b *Builder) *DaemonSet {
		ds := b.Nodes(2).DaemonSet("agent", onHost(0))
		b.After(Long)
		return ds
	}
	Breaks(t, j,
		Tell("a taint that is not tolerated", func(b *Builder) {
			ds := repelling(b)
			b.After(Long)
			ds.Pod("old-b", NodeName(1))
		}),
		Tell("a taint that came long before the template that selects the node", func(b *Builder) {
			ds := elsewhere(b)
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			b.After(judge.Lag)
			ds.Set(onHost(1)).Pod("new-b", NodeName(1))
		}),
		Tell("a node that was deleted long ago", func(b *Builder) {
			ds, pods := Running(b, 2)
			b.Node(NodeName(1)).Leave()
			pods[1].Gone()
			b.After(Long)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a node that was deleted long before the template that selects it", func(b *Builder) {
			ds := elsewhere(b)
			b.Node(NodeName(1)).Leave()
			b.After(judge.Lag)
			ds.Set(onHost(1)).Pod("new-b", NodeName(1))
		}),
		Tell("a node that another selector records", func(b *Builder) {
			b.Nodes(1).Selecting("pool=a")
			ds := b.DaemonSet("agent", selecting("a"))
			ds.Pod("old-x", "elsewhere")
		}),
	)
	Keeps(t, j, Tell("the other node gets none", func(b *Builder) {
		ds := repelling(b)
		b.After(judge.Lag)
		ds.Pod("old-a", NodeName(0))
	}))
	Ignores(t, j,
		Tell("the taint came just now", func(b *Builder) {
			ds, pods := Running(b, 2)
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Terminating().Gone()
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("the taint came just before the template that selects the node", func(b *Builder) {
			ds := elsewhere(b)
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds.Set(onHost(1)).Pod("new-b", NodeName(1))
		}),
		Tell("the node was deleted just before the template that selects it", func(b *Builder) {
			ds := elsewhere(b)
			b.Node(NodeName(1)).Leave()
			ds.Set(onHost(1)).Pod("new-b", NodeName(1))
		}),
		Tell("the taint went just after the template that selected the node", func(b *Builder) {
			b.Nodes(2).Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds := b.DaemonSet("agent", onHost(1))
			b.After(Long)
			ds.Set(onHost(0))
			b.Node(NodeName(1)).Edit(func(node *corev1.Node) { node.Spec.Taints = nil })
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a node that is not recorded, and may fit", func(b *Builder) {
			b.DaemonSet("agent").Pod("old-x", "elsewhere")
		}),
	)
}

func selecting(pool string) Option { return NodeSelector("pool", pool) }

// onHost selects a node by its name.
func onHost(i int) Option { return NodeSelector(corev1.LabelHostname, NodeName(i)) }

func TestWithoutSurgeAnOrphanThatTerminatesIsWaitedFor(t *testing.T) {
	again := func(b *Builder, option Option) (*DaemonSet, *Pod) {
		former, pods := Running(b, 1, option)
		b.Stimulus(history.DeleteDaemonSet, former)
		former.Gone()
		pods[0].Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
		b.After(Long)
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating()
		b.After(Long)
		ds := b.DaemonSet("agent", option)
		b.After(Long)
		return ds, pods[0]
	}
	for name, option := range map[string]Option{"maxUnavailable": MaxUnavailable("1"), "OnDelete": OnDelete()} {
		Keeps(t, rollout.TargetLabels(), Tell("another comes when it is gone, with "+name, func(b *Builder) {
			ds, orphan := again(b, option)
			orphan.Gone()
			b.After(judge.Prompt)
			ds.Pod("again-a", NodeName(0))
		}), Tell("another comes when it has ended, with "+name, func(b *Builder) {
			ds, orphan := again(b, option)
			orphan.Failed()
			b.After(judge.Prompt)
			ds.Pod("again-a", NodeName(0))
		}))
		Keeps(t, rollout.TargetLabels(), Tell("another comes when one is gone that was deleted before anybody adopted it, with "+name, func(b *Builder) {
			former, pods := Running(b, 1, option)
			b.Stimulus(history.DeleteDaemonSet, former)
			former.Gone()
			pods[0].Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
			b.After(Long)
			ds := b.DaemonSet("agent", option)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating()
			b.After(Long)
			pods[0].Gone()
			b.After(judge.Prompt)
			ds.Pod("again-a", NodeName(0))
		}))
		Omits(t, rollout.TargetLabels(), Tell("none comes when it is gone, with "+name, func(b *Builder) {
			_, orphan := again(b, option)
			orphan.Gone()
			b.After(late).Mark("end")
		}), Tell("none comes beside a stranger that terminates, with "+name, func(b *Builder) {
			b.Nodes(1).Stranger("other", NodeName(0), map[string]string{"app": "other"}).Terminating()
			b.DaemonSet("agent", option)
			b.After(late).Mark("end")
		}))
	}
	Keeps(t, rollout.RollingGoesOn(), Tell("another comes once the orphan beside the one that went is gone, too", func(b *Builder) {
		ds, orphan := again(b, MaxSurge("1"))
		first := ds.Pod("first-a", NodeName(0)).Ready()
		b.After(Long)
		ds.Set(MaxUnavailable("1"))
		b.After(Long)
		b.Stimulus(history.DeletePod, first)
		first.Terminating().Gone()
		b.After(Long)
		orphan.Gone()
		b.After(judge.Prompt)
		ds.Pod("second-a", NodeName(0))
	}))
}
