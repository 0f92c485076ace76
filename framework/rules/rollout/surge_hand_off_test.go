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

func TestLateWatchesHideWhatCameBeforeTheTemplate(t *testing.T) {
	story := func(late bool) func(b *Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			pods[0].Unready()
			b.After(Long)
			if late {
				b.Stimulus(history.DelayWatches, Object("", "")).Done()
			}
			pods[0].Ready()
			b.After(300 * time.Millisecond)
			ds.Update("v2")
			b.After(50 * time.Millisecond)
			ds.Pod("new-a", NodeName(0))
			pods[0].Terminating()
		}
	}
	Ignores(t, rollout.SurgeHandOff(), Tell("the harness makes the implementation's watches late", story(true)))
	Breaks(t, rollout.SurgeHandOff(), Tell("the watches are as quick as ever", story(false)))
}

func TestSurgeHandOff(t *testing.T) {
	j := rollout.SurgeHandOff()
	Breaks(t, j, deletedEarly()...)
	Keeps(t, j, deletedInTime()...)
	Keeps(t, j,
		Tell("of two old pods one is pruned while the other is available", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			ds.Update("v3")
			pods[0].Terminating()
		}),
	)
	// released has an updated pod, available beside the old one, that nobody controls any more.
	released := func(b *Builder, before func(updated *Pod)) []*Pod {
		ds, pods := Running(b, 2, MaxSurge("1"))
		updated := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		b.After(Long)
		before(updated)
		updated.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
		return pods
	}
	somebody := func(b *Builder) func(*Pod) {
		return func(updated *Pod) { b.Stimulus(history.LabelPod, updated) }
	}
	Keeps(t, j, Tell("somebody released the updated pod just now", func(b *Builder) { released(b, somebody(b))[0].Terminating() }))
	// lowered has minReadySeconds lowered to what the updated pod has been Ready for, which somebody has just deleted.
	lowered := func(b *Builder) []*Pod {
		ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(int32(Long.Seconds())+10))
		updated := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		b.After(Long)
		b.Stimulus(history.DeletePod, updated)
		updated.Terminating()
		ds.Set(MinReadySeconds(int32(Long.Seconds()) - 1))
		return pods
	}
	Keeps(t, j, Tell("minReadySeconds are lowered while somebody deletes the updated pod", func(b *Builder) {
		pods := lowered(b)
		b.After(judge.Lag / 2)
		pods[0].Terminating()
	}))
	Breaks(t, j, Tell("minReadySeconds were lowered long after somebody deleted the updated pod", func(b *Builder) {
		pods := lowered(b)
		b.After(judge.Lag)
		pods[0].Terminating()
	}))
	Breaks(t, j,
		Tell("somebody released the updated pod long ago", func(b *Builder) {
			pods := released(b, somebody(b))
			b.After(judge.Lag)
			pods[0].Terminating()
		}),
		Tell("the implementation released the updated pod", func(b *Builder) { released(b, func(*Pod) {})[0].Terminating() }),
	)
	Ignores(t, j, nobodysFault()...)
	Ignores(t, j,
		Tell("an updated pod is deleted while the old one is available", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			young.Terminating()
		}),
	)
}
