package rollout_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// overtake begins a rollout to v2 on the first of three nodes, and one to v3.
func overtake(b *Builder) *DaemonSet {
	ds, _ := Running(b, 3, MaxSurge("1"))
	ds.Update("v2")
	ds.Pod("second-a", NodeName(0))
	b.After(judge.Prompt)
	ds.Update("v3")
	return ds
}

func TestRolloverNewest(t *testing.T) {
	Breaks(t, rollout.RolloverNewest(), Tell("the template before goes on being rolled out", func(b *Builder) {
		ds := overtake(b)
		b.After(Long)
		ds.PodOf("v2", "second-b", NodeName(1))
	}))
	Breaks(t, rollout.RolloverNewest(), Tell("the first pod of the template before is made", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.After(Long)
		ds.Update("v3")
		b.After(Long)
		ds.PodOf("v2", "second-a", NodeName(0))
	}))
	Keeps(t, rollout.RolloverNewest(), Tell("the template changed just now", func(b *Builder) {
		ds := overtake(b)
		ds.PodOf("v2", "second-b", NodeName(1))
	}))
	Keeps(t, rollout.RolloverNewest(), Tell("the newest template is rolled out", func(b *Builder) {
		ds := overtake(b)
		b.After(Long)
		ds.Pod("third-b", NodeName(1))
	}))
	Ignores(t, rollout.RolloverNewest(), Tell("one rollout comes after the other, each to its end", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		second := ds.Pod("second-a", NodeName(0)).Ready()
		b.After(judge.Prompt)
		pods[0].Terminating().Gone()
		b.After(Long)
		ds.Update("v3")
		ds.Pod("third-a", NodeName(0)).Ready()
		b.After(judge.Prompt)
		second.Terminating().Gone()
	}))
	Ignores(t, rollout.RolloverNewest(), Tell("nothing overtakes the rollout", func(b *Builder) {
		ds, _ := Running(b, 2, MaxSurge("1"))
		ds.Update("v2")
		ds.Pod("second-a", NodeName(0))
	}))
}
