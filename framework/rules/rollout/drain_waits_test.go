package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestDrainWaits(t *testing.T) {
	Breaks(t, rollout.DrainWaits(), Tell("the replacement comes while the pod terminates", func(b *Builder) {
		ds, pods := Running(b, 1)
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating()
		b.After(Long)
		ds.Pod("new-a", NodeName(0))
	}))
	Keeps(t, rollout.DrainWaits(), Tell("the replacement comes once the pod is gone", func(b *Builder) {
		ds, pods := Running(b, 1)
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		ds.Pod("new-a", NodeName(0))
	}))
}
