package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

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
	takenBack := func(option Option) func(b *Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 2, option)
			ds.Update("v2")
			b.After(Long)
			ds.Update("v1")
			b.After(Long)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			ds.PodOf("v2", "again-a", NodeName(0))
		}
	}
	for name, option := range map[string]Option{"OnDelete": OnDelete(), "maxUnavailable": MaxUnavailable("1")} {
		deleted := func(template string) func(b *Builder) {
			return func(b *Builder) {
				ds, pods := Running(b, 2, option)
				ds.Update("v2")
				b.After(Long)
				b.Stimulus(history.DeletePod, pods[0])
				pods[0].Terminating().Gone()
				ds.PodOf(template, "again-a", NodeName(0))
			}
		}
		Breaks(t, rollout.TargetCurrent(), Tell("a pod comes back from the template that was taken back, with "+name, takenBack(option)))
		Breaks(t, rollout.TargetCurrent(), Tell("a pod that is deleted by hand comes back from the template before, with "+name, deleted("v1")))
		Keeps(t, rollout.TargetCurrent(), Tell("a pod that is deleted by hand comes back from the template in force, with "+name, deleted("v2")))
	}
	Ignores(t, rollout.TargetCurrent(), Tell("a pod of the only template comes back", func(b *Builder) {
		ds, pods := Running(b, 2, MaxUnavailable("1"))
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		ds.Pod("again-a", NodeName(0))
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
