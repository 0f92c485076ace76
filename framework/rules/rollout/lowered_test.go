package rollout_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// TestWhatMinReadySecondsPutOffIsDueWhenTheyAreLowered is about AVAIL-007.
func TestWhatMinReadySecondsPutOffIsDueWhenTheyAreLowered(t *testing.T) {
	surging := func(lowered int32, ends func(b *Builder, old *Pod)) func(b *Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"), MinReadySeconds(600))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(judge.Prompt)
			ds.Set(MinReadySeconds(lowered))
			ends(b, pods[0])
		}
	}
	stays := func(b *Builder, _ *Pod) { b.After(late).Mark("end") }
	goes := func(b *Builder, old *Pod) {
		b.After(judge.Prompt)
		old.Terminating().Gone()
		b.After(late).Mark("end")
	}
	Omits(t, rollout.SurgeHandOver(), Tell("the old pod stays", surging(1, stays)))
	Keeps(t, rollout.SurgeHandOver(), Tell("the old pod goes", surging(1, goes)))
	Ignores(t, rollout.SurgeHandOver(), Tell("they are lowered to what has not passed yet", surging(300, stays)))
	rolling := func(lowered int32, ends func(b *Builder, old *Pod)) func(b *Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"), MinReadySeconds(600))
			ds.Update("v2")
			pods[1].Terminating().Gone()
			ds.Pod("new-b", NodeName(1)).Ready()
			b.After(judge.Prompt)
			ds.Set(MinReadySeconds(lowered))
			ends(b, pods[0])
		}
	}
	Omits(t, rollout.RollingGoesOn(), Tell("nothing goes on", rolling(1, stays)))
	Keeps(t, rollout.RollingGoesOn(), Tell("the next one goes", rolling(1, func(b *Builder, old *Pod) {
		b.After(judge.Prompt)
		old.Terminating()
		b.Mark("end")
	})))
}
