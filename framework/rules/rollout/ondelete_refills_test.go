package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestOnDeleteRefills(t *testing.T) {
	rule := rollout.OnDeleteRefills()
	// A pod is deleted by hand beside one that is not Ready.
	deleted := func(b *Builder, options ...Option) *DaemonSet {
		ds, pods := Running(b, 2, options...)
		ds.Update("v2")
		pods[1].Unready()
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		return ds
	}
	Omits(t, rule, Tell("the pod does not come back", func(b *Builder) {
		deleted(b, OnDelete())
		b.After(late).Mark("end")
	}))
	Keeps(t, rule, Tell("it comes back", func(b *Builder) {
		ds := deleted(b, OnDelete())
		b.After(judge.Prompt)
		ds.Pod("new-a", NodeName(0))
	}))
	Ignores(t, rule,
		Tell("pods that have failed are backed off from", func(b *Builder) {
			_, pods := Running(b, 2, OnDelete())
			pods[0].Failed().Gone()
			b.After(Long).Mark("end")
		}),
		Tell("the strategy is another", func(b *Builder) {
			deleted(b, MaxUnavailable("1"))
			b.After(Long).Mark("end")
		}),
	)
}
