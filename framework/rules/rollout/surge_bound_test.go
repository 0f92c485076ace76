package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeBound(t *testing.T) {
	Breaks(t, rollout.SurgeBound(),
		Tell("a second node surges while the first is not ready", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			b.After(time.Minute)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a second node surges in the same instant", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a second node surges one second before the first is available", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"), MinReadySeconds(10))
			ds.Update("v2")
			young := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(9 * time.Second).Sub(b.Now()))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("30% of 7 nodes is 3, not 4", func(b *Builder) {
			ds, _ := Running(b, 7, MaxSurge("30%"))
			ds.Update("v2")
			for i := range 4 {
				ds.Pod("new-"+Letter(i), NodeName(i))
			}
		}),
		Tell("a tainted node does not count towards the percentage", func(b *Builder) {
			b.Node("node-4").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds, _ := Running(b, 3, MaxSurge("33%"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("another node surges long after maxSurge was lowered", func(b *Builder) {
			ds, _ := Running(b, 4, MaxSurge("2"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
			ds.Set(MaxSurge("1"))
			b.After(judge.Lag)
			ds.Pod("new-c", NodeName(2))
		}),
		Tell("the next node surges after the first surge pod has long been unready again", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2")
			first := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			first.Unready()
			b.After(judge.Lag)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("an old pod that was ready again for a second surges beyond the limit", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			pods[1].Unready()
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[1].Ready()
			b.After(judge.Lag)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("another node surges although an old pod has long recovered beside its updated one", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			pods[0].Unready()
			b.After(Long)
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Ready()
			b.After(judge.Lag)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a rollout that begins half a second after the old pods became available", func(b *Builder) {
			b.Nodes(2)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			b.After(Long)
			for i := range 2 {
				ds.Pod("old-"+Letter(i), NodeName(i)).Ready()
			}
			b.After(judge.Lag / 2)
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a pod that lies about its revision is counted by what it runs", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v1" })
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("another DaemonSet's room is not its own", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			b.DaemonSet("other", MaxSurge("2"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
	)
	Keeps(t, rollout.SurgeBound(),
		Tell("one node after the other", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			ds.Pod("new-b", NodeName(1)).Ready()
			pods[0].Terminating()
			pods[1].Terminating().Gone()
		}),
		Tell("a second node surges at the second in which the first becomes available", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"), MinReadySeconds(10))
			ds.Update("v2")
			young := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("30% of 7 nodes is 3", func(b *Builder) {
			ds, _ := Running(b, 7, MaxSurge("30%"))
			ds.Update("v2")
			for i := range 3 {
				ds.Pod("new-"+Letter(i), NodeName(i))
			}
		}),
		Tell("1% of 3 nodes is at least one", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1%"))
			ds.Update("v2").Pod("new-a", NodeName(0))
		}),
		Tell("an unavailable old pod is replaced beyond the limit, and recovers", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[1].Unready()
			b.After(Long)
			ds.Pod("new-b", NodeName(1))
			pods[1].Ready()
			b.After(Long)
		}),
		Tell("the old pod of a node recovers beside its updated one just before another node surges", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			pods[0].Unready()
			b.After(Long)
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Ready()
			b.After(judge.Lag - 5*time.Millisecond)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("the old pod fails just before its node surges beyond the limit", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[1].Unready()
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("the old pod recovered too late to be known", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			pods[1].Unready()
			ds.Update("v2").Pod("new-a", NodeName(0))
			b.After(Long)
			pods[1].Ready()
			b.After(judge.Lag - 5*time.Millisecond)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("maxSurge was raised just now", func(b *Builder) {
			ds, _ := Running(b, 4, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Set(MaxSurge("2"))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a surging node is no longer wanted", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("minReadySeconds was lowered just now, by which the first surge pod is available", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"), MinReadySeconds(15))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(5 * time.Second)
			ds.Set(MinReadySeconds(1))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("minReadySeconds was raised just now, by which the first surge pod is not available", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			ds.Set(MinReadySeconds(15))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a surging node whose old pod has failed takes nothing any more", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Unready()
			b.After(Long)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("maxSurge was lowered too late to be known", func(b *Builder) {
			ds, _ := Running(b, 4, MaxSurge("2"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Set(MaxSurge("1"))
			b.After(judge.Lag - 5*time.Millisecond)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("lowering maxSurge below what is in use is nobody's fault", func(b *Builder) {
			ds, pods := Running(b, 4, MaxSurge("2"))
			ds.Update("v2")
			first, second := ds.Pod("new-a", NodeName(0)), ds.Pod("new-b", NodeName(1))
			ds.Set(MaxSurge("1"))
			b.After(Long)
			first.Ready()
			second.Ready()
			pods[0].Terminating()
			pods[1].Terminating()
			ds.Pod("new-c", NodeName(2))
		}),
		Tell("a node that left makes the percentage less too late to be known", func(b *Builder) {
			b.Node("node-4").Join()
			b.Node("node-5").Join()
			ds, _ := Running(b, 3, MaxSurge("30%"))
			ds.Update("v2")
			ds.Pod("new-a", NodeName(0))
			b.Node("node-5").Leave()
			b.Node("node-4").Leave()
			b.After(judge.Lag / 2)
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("the surge pod was ready until just now", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2")
			first := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			first.Unready()
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a surge pod that the harness put there takes nothing", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.CreatePod, Object(history.KindPod, "harness"))
			ds.Pod("harness", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("a failed surge pod is not live", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Failed()
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("each DaemonSet has its own", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			other := b.DaemonSet("other", MaxSurge("1"))
			for i := range 2 {
				other.Pod("other-"+Letter(i), NodeName(i)).Ready()
			}
			b.After(Long)
			ds.Update("v2").Pod("new-a", NodeName(0))
			other.Update("v2").Pod("other-new", NodeName(1))
		}),
	)
	Ignores(t, rollout.SurgeBound(),
		Tell("no rollout", func(b *Builder) { Running(b, 3, MaxSurge("1")) }),
		Tell("a node without a pod gets an updated one at once", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2")
			b.Node("node-2").Join()
			b.Node("node-3").Join()
			b.After(Long)
			ds.Pod("new-b", NodeName(1))
			ds.Pod("new-c", NodeName(2))
		}),
		Tell("a rollout that begins as soon as the old pods are available", func(b *Builder) {
			b.Nodes(2)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			b.After(Long)
			for i := range 2 {
				ds.Pod("old-"+Letter(i), NodeName(i)).Ready()
			}
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("minReadySeconds was lowered just now, by which the old pods are available", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"), MinReadySeconds(60))
			ds.Set(MinReadySeconds(1), Version("v2")).Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}),
		Tell("no maxSurge", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0))
		}),
	)
}
