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

func TestPodsOfTheTemplateInForceAreKept(t *testing.T) {
	j := rollout.RollingKeepsCurrent()
	Breaks(t, j,
		Tell("at rest, one that is not Ready", func(b *Builder) {
			_, pods := Running(b, 2, MaxUnavailable("1"))
			pods[0].Unready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("with OnDelete", func(b *Builder) {
			_, pods := Running(b, 2, OnDelete())
			pods[1].Terminating()
		}),
		Tell("with OnDelete, at once after a roll-back", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			pods[1].Unready()
			b.After(Long)
			ds.Update("v1")
			pods[1].Terminating()
		}),
		Tell("after a roll-back, one that was never replaced", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("second", NodeName(0)).Ready()
			ds.Update("v1")
			b.After(judge.Lag)
			pods[1].Terminating()
		}),
		Tell("one by which a rollout replaced another long ago", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			second := ds.Pod("second", NodeName(0)).Ready()
			b.After(Long)
			second.Terminating()
		}),
	)
	Keeps(t, j,
		Tell("one beside another that went just now", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", NodeName(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[0].Terminating().Gone()
			second.Terminating()
		}),
		Tell("a roll-back of just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Update("v2")
			b.After(Long)
			ds.Update("v1")
			pods[0].Terminating()
		}),
		Tell("a duplicate", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", NodeName(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			second.Terminating()
		}),
		Tell("one that has failed", func(b *Builder) {
			_, pods := Running(b, 1, MaxUnavailable("1"))
			pods[0].Failed()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("one that somebody labelled", func(b *Builder) {
			_, pods := Running(b, 1, MaxUnavailable("1"))
			b.Stimulus(history.LabelPod, pods[0])
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "another" })
			b.After(Long)
			pods[0].Terminating()
		}),
	)
}

func TestOldPodsAreKeptWithOnDelete(t *testing.T) {
	j := rollout.OnDeleteKeepsOld()
	Breaks(t, j,
		Tell("the first is replaced", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("one that is not Ready", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			pods[0].Unready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("one that came long ago in the place of one that was deleted by hand", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			second := ds.Pod("second", NodeName(0)).Ready()
			b.After(Long)
			ds.Update("v2")
			b.After(Long)
			second.Terminating()
		}),
	)
	Breaks(t, j, Tell("the template and the strategy were other ones until just now", func(b *Builder) {
		ds, pods := Running(b, 2, MaxUnavailable("1"))
		b.After(Long)
		ds.Set(Version("v2"), OnDelete())
		pods[0].Terminating()
	}))
	Keeps(t, j,
		Tell("somebody deletes one", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			b.After(Long)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			ds.Pod("second", NodeName(0))
		}),
		Tell("the strategy was another one until just now", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			b.After(Long)
			ds.Set(MaxUnavailable("1"))
			pods[0].Terminating()
		}),
		Tell("one that has failed", func(b *Builder) {
			ds, pods := Running(b, 2, OnDelete())
			ds.Update("v2")
			pods[0].Failed()
			b.After(Long)
			pods[0].Terminating()
		}),
	)
	Ignores(t, j, Tell("a rollout", func(b *Builder) {
		ds, pods := Running(b, 2, MaxUnavailable("1"))
		ds.Update("v2")
		pods[0].Terminating()
	}))
}
