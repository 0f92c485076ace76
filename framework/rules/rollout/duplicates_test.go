package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestDuplicatesAreNotKept(t *testing.T) {
	Omits(t, rollout.RollingOnePod(), Tell("two pods left by a switch from maxSurge", func(b *Builder) {
		ds, _ := Running(b, 1, MaxSurge("1"))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		ds.Set(MaxUnavailable("1"))
		b.After(late).Mark("end")
	}))
	Omits(t, rollout.SurgeOnePerRevision(), Tell("two of the current revision, one of them adopted", func(b *Builder) {
		ds, _ := Running(b, 1, MaxSurge("1"))
		b.Stimulus(history.CreatePod, Object(history.KindPod, "twin"))
		ds.Pod("twin", NodeName(0)).Ready()
		b.After(late).Mark("end")
	}))
}
