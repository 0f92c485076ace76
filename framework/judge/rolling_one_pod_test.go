package judge_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestRollingOnePod(t *testing.T) {
	j := judge.RollingOnePod()
	breaks(t, j,
		story{"the replacement comes before the old pod is deleted", func(b *Builder) {
			ds, _ := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"a second pod with OnDelete", func(b *Builder) {
			ds, _ := running(b, 1, OnDelete())
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"a replacement too many", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Pod("second", node(0))
			ds.Pod("third", node(0))
		}},
		story{"another pod beside those that a switch from maxSurge left", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[0].Terminating()
			ds.Pod("third", node(0))
		}},
	)
	keeps(t, j,
		story{"a replacement while the old pod terminates", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Pod("second", node(0))
		}},
		story{"a replacement beside a failed pod", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			pods[0].Failed()
			ds.Pod("second", node(0))
		}},
		story{"a replacement long after", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			b.After(long)
			ds.Pod("second", node(0))
		}},
	)
	ignores(t, j,
		story{"the first pod of each node", func(b *Builder) { running(b, 3, MaxUnavailable("1")) }},
		story{"a surge pod just after maxSurge was taken back", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Set(MaxUnavailable("1"))
			ds.Pod("second", node(0))
		}},
		story{"two pods left by a switch from maxSurge", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", node(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(long)
			pods[0].Terminating().Gone()
			second.Ready()
		}},
	)
}
