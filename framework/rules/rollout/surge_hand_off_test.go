package rollout_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

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
