package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestRollingOnePod(t *testing.T) {
	j := rollout.RollingOnePod()
	Breaks(t, j,
		Tell("the replacement comes before the old pod is deleted", func(b *Builder) {
			ds, _ := Running(b, 1, MaxUnavailable("1"))
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a second pod with OnDelete", func(b *Builder) {
			ds, _ := Running(b, 1, OnDelete())
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a replacement too many", func(b *Builder) {
			ds, pods := Running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Pod("second", NodeName(0))
			ds.Pod("third", NodeName(0))
		}),
		Tell("another pod beside those that a switch from maxSurge left", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[0].Terminating()
			ds.Pod("third", NodeName(0))
		}),
	)
	Keeps(t, j,
		Tell("a replacement while the old pod, which has ended, is held by a finalizer", func(b *Builder) {
			ds, pods := Running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Succeeded()
			ds.Pod("second", NodeName(0))
		}),
		Tell("a replacement beside a failed pod", func(b *Builder) {
			ds, pods := Running(b, 1, MaxUnavailable("1"))
			pods[0].Failed()
			ds.Pod("second", NodeName(0))
		}),
		Tell("a replacement long after", func(b *Builder) {
			ds, pods := Running(b, 1, MaxUnavailable("1"))
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			b.After(Long)
			ds.Pod("second", NodeName(0))
		}),
	)
	Keeps(t, j,
		Tell("two pods left by a switch from maxSurge", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", NodeName(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Prompt)
			pods[0].Terminating().Gone()
			second.Ready()
		}),
	)
	Ignores(t, j,
		Tell("the first pod of each node", func(b *Builder) { Running(b, 3, MaxUnavailable("1")) }),
		Tell("a surge pod just after maxSurge was taken back", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Set(MaxUnavailable("1"))
			ds.Pod("second", NodeName(0))
		}),
	)
}
