package judge_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestSurgeHandOff(t *testing.T) {
	j := judge.SurgeHandOff()
	breaks(t, j, deletedEarly()...)
	keeps(t, j, deletedInTime()...)
	keeps(t, j,
		story{"of two old pods one is pruned while the other is available", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", node(0)).Ready()
			b.After(long)
			ds.Update("v3")
			pods[0].Terminating()
		}},
	)
	ignores(t, j, nobodysFault()...)
	ignores(t, j,
		story{"an updated pod is deleted while the old one is available", func(b *Builder) {
			ds, _ := running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", node(0)).Ready()
			b.After(long)
			young.Terminating()
		}},
	)
}
