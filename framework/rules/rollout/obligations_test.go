package rollout_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// late is longer than anything may take.
const late = judge.Lag + judge.Prompt + 10*time.Millisecond

func TestSurgeHandOver(t *testing.T) {
	j := rollout.SurgeHandOver()
	// available has an updated pod that becomes available beside the old one after the time.
	available := func(b *Builder, options ...Option) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 1, append([]Option{MaxSurge("1")}, options...)...)
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		return ds, pods
	}
	Omits(t, j,
		Tell("the old pod stays", func(b *Builder) {
			available(b)
			b.After(late).Mark("end")
		}),
		Tell("the old pod stays once minReadySeconds have run out", func(b *Builder) {
			available(b, MinReadySeconds(10))
			b.After(10*time.Second + late).Mark("end")
		}),
		Tell("the old pod goes too late", func(b *Builder) {
			_, pods := available(b)
			b.After(late)
			pods[0].Terminating()
		}),
		Tell("something else is written meanwhile", func(b *Builder) {
			ds, _ := available(b)
			b.After(judge.Prompt)
			ds.Observed()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the implementation was restarted long ago", func(b *Builder) {
			available(b)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(late).Mark("end")
		}),
	)
	Keeps(t, j,
		Tell("the old pod goes within the bound", func(b *Builder) {
			_, pods := available(b)
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the old pod goes within the bound after minReadySeconds", func(b *Builder) {
			_, pods := available(b, MinReadySeconds(10))
			b.After(10*time.Second + judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the implementation was restarted, and the clock starts anew", func(b *Builder) {
			_, pods := available(b)
			b.After(judge.Prompt)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the implementation was halted for long", func(b *Builder) {
			_, pods := available(b)
			b.Stimulus(history.KillImplementation, Object("", "")).Done()
			b.After(10 * Long)
			b.Stimulus(history.RestartImplementation, Object("", ""))
			b.After(Long).Done()
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the spec changed in between", func(b *Builder) {
			ds, pods := available(b)
			b.After(judge.Prompt)
			ds.Set(MaxSurge("2"))
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("the recording ends before the bound", func(b *Builder) {
			available(b)
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the implementation is halted for good", func(b *Builder) {
			available(b)
			b.Stimulus(history.SuspendImplementation, Object("", "")).Done()
			b.After(Long).Mark("end")
		}),
		Tell("the implementation is restarted while it is cut off", func(b *Builder) {
			available(b)
			b.Stimulus(history.CutOffImplementation, Object("", "")).Done()
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(Long).Mark("end")
		}),
		Tell("the updated pod loses its readiness", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(judge.Prompt)
			young.Unready()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("maxUnavailable", func(b *Builder) {
			ds, _ := Running(b, 1, MaxUnavailable("1"))
			b.Stimulus(history.CreatePod, Object(history.KindPod, "new-a"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the DaemonSet is being deleted", func(b *Builder) {
			ds, _ := available(b)
			ds.Terminating()
			b.After(Long).Mark("end")
		}),
		Tell("the namespace is being deleted", func(b *Builder) {
			available(b)
			b.Stimulus(history.DeleteNamespace, Object(history.KindNamespace, Namespace)).After(Long).Mark("end")
		}),
	)
}

func TestAvailableByClock(t *testing.T) {
	j := rollout.AvailableByClock()
	waiting := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 1, MaxSurge("1"), MinReadySeconds(10))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		return ds, pods
	}
	Omits(t, j, Tell("nobody looks at the clock", func(b *Builder) {
		waiting(b)
		b.After(10*time.Second + late).Mark("end")
	}))
	Keeps(t, j,
		Tell("the old pod goes by itself", func(b *Builder) {
			_, pods := waiting(b)
			b.After(10*time.Second + 100*time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("without maxSurge the next pod goes by itself", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0)).Ready()
			b.After(10*time.Second + 100*time.Millisecond)
			pods[1].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("a write woke the controller just before", func(b *Builder) {
			ds, pods := waiting(b)
			b.After(9500 * time.Millisecond)
			ds.Observed()
			b.After(time.Second)
			pods[0].Terminating()
		}),
		Tell("a node woke the controller afterwards", func(b *Builder) {
			_, pods := waiting(b)
			b.After(11 * time.Second)
			b.Node(NodeName(0)).Edit(func(*corev1.Node) {})
			b.After(time.Second)
			pods[0].Terminating()
		}),
		Tell("a process that was started afterwards looks anyway", func(b *Builder) {
			_, pods := waiting(b)
			b.After(11 * time.Second)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(late)
			pods[0].Terminating()
		}),
		Tell("a write in between, and nothing happens", func(b *Builder) {
			ds, _ := waiting(b)
			b.After(11 * time.Second)
			ds.Observed()
			b.After(Long).Mark("end")
		}),
	)
}

func TestProgressWithMaxSurge(t *testing.T) {
	starts, on, unserved := rollout.SurgeStarts(), rollout.SurgeGoesOn(), rollout.SurgeUnserved()
	Omits(t, starts, Tell("the rollout never starts", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.After(late).Mark("end")
	}))
	Omits(t, on, Tell("the rollout stops after the first node", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("2"))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		pods[0].Terminating().Gone()
		b.After(late).Mark("end")
	}))
	Omits(t, unserved, Tell("a node without an available pod holds the rollout back", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		pods[0].Unready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(late).Mark("end")
	}))
	Keeps(t, starts, Tell("late but within the bound", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.After(judge.Prompt)
		ds.Pod("new-a", NodeName(0))
	}))
	Keeps(t, on, Tell("one node at a time though more are allowed, in any order", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("3"))
		ds.Update("v2")
		for _, i := range []int{2, 0, 1} {
			b.After(judge.Prompt)
			ds.Pod("new-"+Letter(i), NodeName(i)).Ready()
			b.After(judge.Prompt)
			pods[i].Terminating()
			b.After(Long)
			pods[i].Gone()
		}
		b.After(Long).Mark("end")
	}))
	Keeps(t, unserved, Tell("the rollout goes on elsewhere", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		pods[0].Unready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(judge.Prompt)
		ds.Pod("new-b", NodeName(1))
	}))
	Keeps(t, on, Tell("an updated pod does not become available", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("3"))
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(Long).Mark("end")
	}))
	Ignores(t, on,
		Tell("OnDelete", func(b *Builder) {
			ds, _ := Running(b, 3, OnDelete())
			ds.Update("v2")
			b.After(Long).Mark("end")
		}),
		Tell("the rollout is through", func(b *Builder) {
			Running(b, 3, MaxSurge("1"))
			b.After(Long).Mark("end")
		}),
	)
	Ignores(t, unserved, Tell("the old pod becomes available by the clock before the bound", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"), MinReadySeconds(5))
		pods[0].Ready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(Long).Mark("end")
	}))
}

func TestRollingGoesOn(t *testing.T) {
	j := rollout.RollingGoesOn()
	Omits(t, j,
		Tell("the rollout never starts", func(b *Builder) {
			ds, _ := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.After(late).Mark("end")
		}),
		Tell("a pod that is gone is not replaced", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			b.After(late).Mark("end")
		}),
	)
	Keeps(t, j, Tell("one at a time though all are allowed", func(b *Builder) {
		ds, pods := Running(b, 3, MaxUnavailable("3"))
		ds.Update("v2")
		for i, pod := range pods {
			b.After(judge.Prompt)
			pod.Terminating()
			b.After(Long)
			pod.Gone()
			b.After(judge.Prompt)
			ds.Pod("new-"+Letter(i), NodeName(i))
			b.After(Long)
		}
	}))
	Ignores(t, j, Tell("more pods are unavailable than maxUnavailable", func(b *Builder) {
		ds, pods := Running(b, 3, MaxUnavailable("1"))
		pods[0].Unready()
		pods[1].Unready()
		ds.Update("v2")
		b.After(Long).Mark("end")
	}))
}

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
		Ignores(t, with.j,
			Tell("nothing shows that the implementation may create pods", func(b *Builder) {
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
	Omits(t, labels, Tell("a node that is not selected any more keeps its pod", func(b *Builder) {
		b.Nodes(1)
		b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Labels["pool"] = "a" })
		ds := b.DaemonSet("agent", selecting("a"))
		ds.Pod("old-a", NodeName(0)).Ready()
		b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Labels["pool"] = "b" })
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
}

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

func TestTargetNodes(t *testing.T) {
	j := rollout.TargetNodes()
	repelling := func(b *Builder) *DaemonSet {
		b.Nodes(2).Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		b.After(Long)
		return b.DaemonSet("agent")
	}
	Breaks(t, j,
		Tell("a taint that is not tolerated", func(b *Builder) {
			ds := repelling(b)
			b.After(Long)
			ds.Pod("old-b", NodeName(1))
		}),
		Tell("a node that was deleted long ago", func(b *Builder) {
			ds, pods := Running(b, 2)
			b.Node(NodeName(1)).Leave()
			pods[1].Gone()
			b.After(Long)
			ds.Pod("new-b", NodeName(1))
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
			pods[1].Terminating().Gone()
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a node that is not recorded, and may fit", func(b *Builder) {
			b.DaemonSet("agent").Pod("old-x", "elsewhere")
		}),
	)
}

func TestCreatedCurrent(t *testing.T) {
	Breaks(t, rollout.TargetCurrent(), Tell("a node that joined gets an old pod", func(b *Builder) {
		ds, _ := Running(b, 1)
		ds.Update("v2")
		b.Node("node-9").Join()
		b.After(Long)
		ds.PodOf("v1", "old-x", "node-9")
	}))
	Keeps(t, rollout.TargetCurrent(), Tell("the template changed just now", func(b *Builder) {
		ds, _ := Running(b, 1)
		b.Node("node-9").Join()
		ds.Update("v2")
		ds.PodOf("v1", "old-x", "node-9")
	}))
	Breaks(t, rollout.UnreadyCurrent(), Tell("an unready old pod is replaced by another old one", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		pods[0].Unready()
		b.After(judge.Prompt)
		ds.PodOf("v1", "old-x", NodeName(0))
	}))
	Keeps(t, rollout.UnreadyCurrent(), Tell("by an updated one", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		pods[0].Unready()
		ds.Pod("new-a", NodeName(0))
	}))
}

func TestDrainWaits(t *testing.T) {
	Breaks(t, rollout.DrainWaits(), Tell("the replacement comes while the pod terminates", func(b *Builder) {
		ds, pods := Running(b, 1)
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating()
		b.After(Long)
		ds.Pod("new-a", NodeName(0))
	}))
	Keeps(t, rollout.DrainWaits(), Tell("the replacement comes once the pod is gone", func(b *Builder) {
		ds, pods := Running(b, 1)
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		ds.Pod("new-a", NodeName(0))
	}))
}

func TestDuplicatesAreNotKept(t *testing.T) {
	Omits(t, rollout.RollingOnePod(), Tell("two pods left by a switch from maxSurge", func(b *Builder) {
		ds, _ := Running(b, 1, MaxSurge("1"))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		ds.Set(MaxUnavailable("1"))
		b.After(late).Mark("end")
	}))
	Omits(t, rollout.SurgeOnePerRevision(), Tell("two of the current revision, one of them adopted", func(b *Builder) {
		ds, _ := Running(b, 1, MaxSurge("1"))
		b.Stimulus(history.CreatePod, Object(history.KindPod, "twin"))
		ds.Pod("twin", NodeName(0)).Ready()
		b.After(late).Mark("end")
	}))
}

// failing has a pod of the node fail again and again, each time recreated after the delay that is due.
func failing(b *Builder, options Option, times int, lives time.Duration, delay func(i int) time.Duration) {
	ds, _ := Running(b, 2, options)
	ds.Update("v2")
	b.Node("node-9").Join()
	for i := range times {
		pod := ds.Pod(fmt.Sprintf("new-%d", i), "node-9")
		b.After(lives)
		pod.Failed()
		b.After(delay(i))
		pod.Gone()
	}
	ds.Pod("last", "node-9")
}

func TestBackingOff(t *testing.T) {
	doubling := func(first time.Duration) func(int) time.Duration {
		return func(i int) time.Duration { return min(first<<i, 15*time.Minute) }
	}
	constant := func(delay time.Duration) func(int) time.Duration {
		return func(int) time.Duration { return delay }
	}
	for _, with := range []struct {
		j      judge.Rule
		option Option
	}{{rollout.SurgeBacksOff(), MaxSurge("1")}, {rollout.TargetBacksOff(), MaxUnavailable("3")}} {
		Breaks(t, with.j,
			Tell("a hot loop", func(b *Builder) { failing(b, with.option, 10, 0, constant(16*time.Millisecond)) }),
			Tell("at once, though the pods take long to fail", func(b *Builder) { failing(b, with.option, 10, Long, constant(time.Millisecond)) }),
			Tell("every second", func(b *Builder) { failing(b, with.option, 13, 0, constant(time.Second)) }),
			Tell("every six seconds", func(b *Builder) { failing(b, with.option, 8, 0, constant(6*time.Second)) }),
		)
		Keeps(t, with.j,
			Tell("from 100 ms, doubling", func(b *Builder) { failing(b, with.option, 16, 0, doubling(100*time.Millisecond)) }),
			Tell("from 1 s, doubling", func(b *Builder) { failing(b, with.option, 16, 0, doubling(time.Second)) }),
		)
		Ignores(t, with.j, Tell("the process forgets when it is restarted", func(b *Builder) {
			ds, _ := Running(b, 2, with.option)
			ds.Update("v2")
			b.Node("node-9").Join()
			for i := range 20 {
				ds.Pod(fmt.Sprintf("new-%d", i), "node-9").Failed().Gone()
				b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			}
		}))
	}
}

func selecting(pool string) Option { return NodeSelector("pool", pool) }
