package rollout_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeLastAvailable(t *testing.T) {
	j := rollout.SurgeLastAvailable()
	Breaks(t, j, deletedEarly()...)
	Breaks(t, j,
		Tell("an updated pod goes when nothing else is there", func(b *Builder) {
			_, pods := Running(b, 2, MaxSurge("1"))
			pods[0].Terminating()
		}),
		Tell("the second of two old pods goes after the first", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			second := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			ds.Update("v3")
			pods[0].Terminating()
			second.Terminating()
		}),
		Tell("maxSurge is a percentage that comes to one", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1%"))
			ds.Update("v2")
			pods[0].Terminating()
		}),
	)
	Keeps(t, j, deletedInTime()...)
	Keeps(t, j,
		Tell("an updated pod is deleted while the old one is available", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			young.Terminating()
		}),
	)
	Ignores(t, j, nobodysFault()...)
}
