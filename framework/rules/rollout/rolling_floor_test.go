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

func TestRollingFloor(t *testing.T) {
	j := rollout.RollingFloor()
	Breaks(t, j,
		Tell("a second pod goes while the first is gone", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			pods[1].Terminating()
		}),
		Tell("a second pod goes while the first's replacement is not ready", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0))
			b.After(Long)
			pods[1].Terminating()
		}),
		Tell("a second pod goes one second before the first's replacement is available", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			young := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(9 * time.Second).Sub(b.Now()))
			pods[1].Terminating()
		}),
		Tell("30% of 7 nodes is 3, not 4", func(b *Builder) {
			ds, pods := Running(b, 7, MaxUnavailable("30%"))
			ds.Update("v2")
			for i := range 4 {
				pods[i].Terminating()
			}
		}),
		Tell("a healthy pod goes while others have long been unready", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(judge.Lag)
			pods[1].Terminating()
		}),
		Tell("a healthy pod goes while an eligible node has long had none", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			b.Node("node-4").Join()
			b.After(judge.Lag)
			ds.Update("v2")
			pods[1].Terminating()
		}),
		Tell("an updated pod is deleted", func(b *Builder) {
			_, pods := Running(b, 3, MaxUnavailable("1"))
			pods[0].Terminating()
			pods[1].Terminating()
		}),
		Tell("both limits are set, and the one on unavailable nodes is passed", func(b *Builder) {
			ds, pods := Running(b, 3, Limits("1", "1"))
			ds.Update("v2")
			pods[0].Terminating()
			pods[1].Terminating()
		}),
		Tell("maxUnavailable was lowered long ago", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("2"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[1].Terminating()
		}),
		Tell("the harness deleted a pod long ago", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating()
			b.After(judge.Lag)
			pods[1].Terminating()
		}),
	)
	Keeps(t, j,
		Tell("a second pod goes at the second in which the first's replacement is available", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			young := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
			pods[1].Terminating()
		}),
		Tell("30% of 7 nodes is 3", func(b *Builder) {
			ds, pods := Running(b, 7, MaxUnavailable("30%"))
			ds.Update("v2")
			for i := range 3 {
				pods[i].Terminating()
			}
		}),
		Tell("pods that are not available may all go", func(b *Builder) {
			ds, pods := Running(b, 4, MaxUnavailable("1"))
			ds.Update("v2")
			pods[3].Terminating()
			for _, pod := range pods[:3] {
				pod.Unready()
			}
			b.After(Long)
			for _, pod := range pods[:3] {
				pod.Terminating()
			}
		}),
		Tell("another pod became unready just now", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(judge.Lag - 5*time.Millisecond)
			pods[1].Terminating()
		}),
		Tell("the harness deleted a pod just now", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			pods[1].Terminating()
		}),
		Tell("a node joined just now", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Node("node-4").Join()
			pods[1].Terminating()
		}),
		Tell("a node without a pod is not wanted", func(b *Builder) {
			b.Node("node-4").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[1].Terminating()
		}),
		Tell("maxUnavailable was lowered just now", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("2"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Set(MaxUnavailable("1"))
			pods[1].Terminating()
		}),
		Tell("two DaemonSets, each its own", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			other := b.DaemonSet("other")
			theirs := []*Pod{other.Pod("other-a", NodeName(0)).Ready(), other.Pod("other-b", NodeName(1)).Ready()}
			b.After(Long)
			ds.Update("v2")
			other.Update("v2")
			pods[0].Terminating()
			theirs[1].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("maxSurge bounds otherwise", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			pods[0].Terminating()
		}),
		Tell("an extra pod is pruned", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the harness deletes", func(b *Builder) {
			_, pods := Running(b, 2, MaxUnavailable("1"))
			for _, pod := range pods {
				b.Stimulus(history.DeletePod, pod)
				pod.Terminating()
			}
		}),
	)
}
