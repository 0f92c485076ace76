package judge_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestRollingFloor(t *testing.T) {
	j := judge.RollingFloor()
	breaks(t, j,
		story{"a second pod goes while the first is gone", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			pods[1].Terminating()
		}},
		story{"a second pod goes while the first's replacement is not ready", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", node(0))
			b.After(long)
			pods[1].Terminating()
		}},
		story{"a second pod goes one second before the first's replacement is available", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			young := ds.Pod("new-a", node(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(9 * time.Second).Sub(b.Now()))
			pods[1].Terminating()
		}},
		story{"30% of 7 nodes is 3, not 4", func(b *Builder) {
			ds, pods := running(b, 7, MaxUnavailable("30%"))
			ds.Update("v2")
			for i := range 4 {
				pods[i].Terminating()
			}
		}},
		story{"a healthy pod goes while others have long been unready", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(judge.Lag)
			pods[1].Terminating()
		}},
		story{"a healthy pod goes while an eligible node has long had none", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			b.Node("node-4").Join()
			b.After(judge.Lag)
			ds.Update("v2")
			pods[1].Terminating()
		}},
		story{"an updated pod is deleted", func(b *Builder) {
			_, pods := running(b, 3, MaxUnavailable("1"))
			pods[0].Terminating()
			pods[1].Terminating()
		}},
		story{"both limits are set, and the one on unavailable nodes is passed", func(b *Builder) {
			ds, pods := running(b, 3, Limits("1", "1"))
			ds.Update("v2")
			pods[0].Terminating()
			pods[1].Terminating()
		}},
		story{"maxUnavailable was lowered long ago", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("2"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[1].Terminating()
		}},
		story{"the harness deleted a pod long ago", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating()
			b.After(judge.Lag)
			pods[1].Terminating()
		}},
	)
	keeps(t, j,
		story{"a second pod goes at the second in which the first's replacement is available", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			young := ds.Pod("new-a", node(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
			pods[1].Terminating()
		}},
		story{"30% of 7 nodes is 3", func(b *Builder) {
			ds, pods := running(b, 7, MaxUnavailable("30%"))
			ds.Update("v2")
			for i := range 3 {
				pods[i].Terminating()
			}
		}},
		story{"pods that are not available may all go", func(b *Builder) {
			ds, pods := running(b, 4, MaxUnavailable("1"))
			ds.Update("v2")
			pods[3].Terminating()
			for _, pod := range pods[:3] {
				pod.Unready()
			}
			b.After(long)
			for _, pod := range pods[:3] {
				pod.Terminating()
			}
		}},
		story{"another pod became unready just now", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(judge.Lag - 5*time.Millisecond)
			pods[1].Terminating()
		}},
		story{"the harness deleted a pod just now", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			pods[1].Terminating()
		}},
		story{"a node joined just now", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.Node("node-4").Join()
			pods[1].Terminating()
		}},
		story{"a node without a pod is not wanted", func(b *Builder) {
			b.Node("node-4").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds, pods := running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[1].Terminating()
		}},
		story{"maxUnavailable was lowered just now", func(b *Builder) {
			ds, pods := running(b, 3, MaxUnavailable("2"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Set(MaxUnavailable("1"))
			pods[1].Terminating()
		}},
		story{"two DaemonSets, each its own", func(b *Builder) {
			ds, pods := running(b, 2, MaxUnavailable("1"))
			other := b.DaemonSet("other")
			theirs := []*Pod{other.Pod("other-a", node(0)).Ready(), other.Pod("other-b", node(1)).Ready()}
			b.After(long)
			ds.Update("v2")
			other.Update("v2")
			pods[0].Terminating()
			theirs[1].Terminating()
		}},
	)
	ignores(t, j,
		story{"maxSurge bounds otherwise", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", node(0)).Ready()
			pods[0].Terminating()
		}},
		story{"an extra pod is pruned", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", node(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(long)
			pods[0].Terminating()
		}},
		story{"the harness deletes", func(b *Builder) {
			_, pods := running(b, 2, MaxUnavailable("1"))
			for _, pod := range pods {
				b.Stimulus(history.DeletePod, pod)
				pod.Terminating()
			}
		}},
	)
}
