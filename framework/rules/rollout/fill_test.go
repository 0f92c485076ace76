package rollout_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestFilling(t *testing.T) {
	surge, labels := rollout.SurgeFills(), rollout.TargetLabels()
	taint := func(b *Builder) *Node {
		node := b.Node("node-9").Join().Taint(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule)
		b.After(Long)
		return node
	}
	untaint := func(node *Node) { node.Edit(func(node *corev1.Node) { node.Spec.Taints = nil }) }
	for _, with := range []struct {
		j      judge.Rule
		option Option
	}{{surge, MaxSurge("1")}, {labels, MaxUnavailable("1")}, {labels, OnDelete()}} {
		Omits(t, with.j, Tell("a node that joined stays empty", func(b *Builder) {
			Running(b, 1, with.option)
			b.Node("node-9").Join()
			b.After(late).Mark("end")
		}))
		Keeps(t, with.j, Tell("it counts from when the node is eligible", func(b *Builder) {
			ds, _ := Running(b, 1, with.option)
			untaint(taint(b))
			b.After(judge.Prompt)
			ds.Pod("new-a", "node-9")
		}))
		Keeps(t, with.j, Tell("the node is never eligible", func(b *Builder) {
			Running(b, 1, with.option)
			taint(b).Edit(func(*corev1.Node) {})
		}))
		Keeps(t, with.j,
			Tell("the API server creates no pods", func(b *Builder) {
				Running(b, 1, with.option)
				b.Stimulus(history.RefusePods, Object(history.KindNamespace, Namespace))
				b.Node("node-9").Join()
				b.After(Long).Mark("end")
			}),
			Tell("the API server refuses to delete pods, which may have to come first", func(b *Builder) {
				Running(b, 1, with.option)
				b.Stimulus(history.RefuseDeletions, Object(history.KindNamespace, Namespace))
				b.Node("node-9").Join()
				b.After(Long).Mark("end")
			}),
			Tell("the API server created no histories for a while", func(b *Builder) {
				Running(b, 1, with.option)
				b.Stimulus(history.RefuseRevisions, Object(history.KindNamespace, Namespace))
				b.Stimulus(history.AdmitRevisions, Object(history.KindNamespace, Namespace))
				b.Node("node-9").Join()
				b.After(Long).Mark("end")
			}),
		)
		Omits(t, with.j,
			Tell("the first pod does not come", func(b *Builder) {
				b.Nodes(1)
				b.DaemonSet("agent", with.option)
				b.After(late).Mark("end")
			}),
			Tell("a DaemonSet is made again under its name, and its first pod comes late", func(b *Builder) {
				former, pods := Running(b, 1, with.option)
				former.Gone()
				pods[0].Terminating().Gone()
				again := b.DaemonSet("agent", with.option)
				b.After(late)
				again.Pod("again-a", NodeName(0))
			}),
		)
		Keeps(t, with.j, Tell("the first pod comes in time", func(b *Builder) {
			b.Nodes(1)
			ds := b.DaemonSet("agent", with.option)
			b.After(judge.Prompt)
			ds.Pod("first-a", NodeName(0))
		}))
		Ignores(t, with.j,
			Tell("nothing shows in a watched cluster that the implementation may create pods", func(b *Builder) {
				b.Watched("*/*")
				b.Nodes(1)
				b.DaemonSet("agent", with.option)
				b.After(Long).Mark("end")
			}),
		)
	}
	Keeps(t, surge, Tell("back-off after a failure", func(b *Builder) {
		_, pods := Running(b, 1, MaxSurge("1"))
		pods[0].Failed().Gone()
		b.After(Long).Mark("end")
	}))
	Keeps(t, surge, Tell("back-off goes on when anything but the template changes", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		pods[0].Failed().Gone()
		ds.Set(MaxSurge("2"))
		b.After(Long).Mark("end")
	}))
	Omits(t, surge, Tell("another template ends the back-off", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		pods[0].Failed().Gone()
		ds.Update("v2")
		b.After(late).Mark("end")
	}))
	Omits(t, surge, Tell("a pod that somebody deleted has ended, and the node stays empty", func(b *Builder) {
		_, pods := Running(b, 1, MaxSurge("1"))
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Failed().Gone()
		b.After(late).Mark("end")
	}))
	Omits(t, labels, Tell("a node that is not selected any more keeps its pod", func(b *Builder) {
		b.Nodes(1)
		b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Labels["pool"] = "a" })
		ds := b.DaemonSet("agent", selecting("a"))
		ds.Pod("old-a", NodeName(0)).Ready()
		b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Labels["pool"] = "b" })
		b.After(late).Mark("end")
	}))
	// The node is selected again while the pod that it gave up terminates.
	again := func(b *Builder, options ...Option) *DaemonSet {
		move := func(pool string) { b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Labels["pool"] = pool }) }
		b.Nodes(1)
		move("a")
		ds := b.DaemonSet("agent", append(options, selecting("a"))...)
		pod := ds.Pod("old-a", NodeName(0)).Ready()
		b.After(Long)
		move("b")
		pod.Terminating().Edit(func(pod *corev1.Pod) { pod.DeletionGracePeriodSeconds = ptr.To[int64](30) })
		b.After(2 * judge.Lag)
		move("a")
		return ds
	}
	Omits(t, labels, Tell("a node that is selected again waits for the pod that it gave up to be gone, with maxSurge", func(b *Builder) {
		again(b, MaxSurge("1"))
		b.After(late).Mark("end")
	}))
	Keeps(t, labels, Tell("a node that is selected again gets a pod beside the one that it gave up, with maxSurge", func(b *Builder) {
		ds := again(b, MaxSurge("1"))
		b.After(judge.Prompt)
		ds.Pod("new-a", NodeName(0))
	}))
	Ignores(t, labels, Tell("a pod that nobody but the implementation deleted terminates on a node that stayed selected", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		pods[0].Unready().Terminating()
		b.After(late).Mark("end")
	}))
	Omits(t, rollout.DrainTainted(), Tell("the pod stays", func(b *Builder) {
		Running(b, 1)
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
		b.After(late).Mark("end")
	}))
	Keeps(t, rollout.DrainTainted(), Tell("the pod goes, whoever deletes it", func(b *Builder) {
		_, pods := Running(b, 1)
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
		b.After(judge.Prompt)
		pods[0].Terminating()
	}))
	lostToleration := func(b *Builder) {
		ds, _ := Running(b, 1, Tolerating("dedicated"))
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
		b.After(Long)
		ds.Set(tolerateNothing)
	}
	Ignores(t, rollout.DrainTainted(), Tell("an old pod stays that tolerates the taint itself", func(b *Builder) {
		lostToleration(b)
		b.After(late).Mark("end")
	}))
	Omits(t, rollout.DrainTainted(), Tell("an old pod stays that tolerates another taint itself", func(b *Builder) {
		lostToleration(b)
		b.Node(NodeName(0)).Taint("another", corev1.TaintEffectNoExecute)
		b.After(late).Mark("end")
	}))
}

func tolerateNothing(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Tolerations = nil }

func TestReplacingPodsThatWereHit(t *testing.T) {
	for _, with := range []struct {
		j       judge.Rule
		act     history.Act
		updated bool
	}{
		{rollout.UnreadyDeleted(), history.DeletePod, false}, {rollout.UnreadyEvicted(), history.EvictPod, false},
		{rollout.DrainDeleted(), history.DeletePod, true}, {rollout.DrainEvicted(), history.EvictPod, true},
	} {
		hit := func(b *Builder) *DaemonSet {
			ds, pods := Running(b, 2, MaxSurge("1"))
			b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Spec.Unschedulable = true })
			if !with.updated {
				ds.Update("v2")
			}
			b.Stimulus(with.act, pods[0])
			pods[0].Terminating()
			return ds
		}
		Omits(t, with.j, Tell("the replacement waits for the pod to be gone", func(b *Builder) {
			hit(b)
			b.After(late).Mark("end")
		}))
		Keeps(t, with.j, Tell("the replacement comes while the pod terminates", func(b *Builder) {
			ds := hit(b)
			b.After(judge.Prompt)
			ds.Pod("new-a", NodeName(0))
		}))
	}
}

func TestUnreadyReplaced(t *testing.T) {
	j := rollout.UnreadyReplaced()
	lost := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		ds.Update("v2").Pod("new-a", NodeName(0))
		pods[1].Unready()
		return ds, pods
	}
	Omits(t, j, Tell("it waits for the limit", func(b *Builder) {
		lost(b)
		b.After(late).Mark("end")
	}))
	Keeps(t, j,
		Tell("an updated pod beside it", func(b *Builder) {
			ds, _ := lost(b)
			b.After(judge.Prompt)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("an updated pod instead of it", func(b *Builder) {
			ds, pods := lost(b)
			b.After(judge.Prompt)
			pods[1].Terminating()
			ds.Pod("new-b", NodeName(1))
		}),
	)
	Ignores(t, j, Tell("it recovers", func(b *Builder) {
		_, pods := lost(b)
		b.After(judge.Prompt)
		pods[1].Ready()
		b.After(Long).Mark("end")
	}))
}
