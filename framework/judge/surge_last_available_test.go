package judge_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestSurgeLastAvailable(t *testing.T) {
	j := judge.SurgeLastAvailable()
	breaks(t, j, deletedEarly()...)
	breaks(t, j,
		story{"an updated pod goes when nothing else is there", func(b *Builder) {
			_, pods := running(b, 2, MaxSurge("1"))
			pods[0].Terminating()
		}},
		story{"the second of two old pods goes after the first", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			second := ds.Update("v2").Pod("new-a", node(0)).Ready()
			b.After(long)
			ds.Update("v3")
			pods[0].Terminating()
			second.Terminating()
		}},
		story{"maxSurge is a percentage that comes to one", func(b *Builder) {
			ds, pods := running(b, 3, MaxSurge("1%"))
			ds.Update("v2")
			pods[0].Terminating()
		}},
	)
	keeps(t, j, deletedInTime()...)
	keeps(t, j,
		story{"an updated pod is deleted while the old one is available", func(b *Builder) {
			ds, _ := running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", node(0)).Ready()
			b.After(long)
			young.Terminating()
		}},
	)
	ignores(t, j, nobodysFault()...)
}
