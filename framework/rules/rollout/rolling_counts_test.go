package rollout_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestWhatCountsAgainstMaxUnavailable(t *testing.T) {
	for _, with := range []struct {
		j    judge.Rule
		lose func(ds *DaemonSet, pod *Pod)
	}{
		{rollout.RollingCountsOld(), func(_ *DaemonSet, pod *Pod) { pod.Unready() }},
		{rollout.RollingCountsEmpty(), func(_ *DaemonSet, pod *Pod) { pod.Terminating() }},
		{rollout.RollingCountsUpdated(), func(ds *DaemonSet, pod *Pod) {
			pod.Terminating().Gone()
			ds.Pod("new-a", NodeName(0))
		}},
	} {
		told := func(limit string) func(*Builder) {
			return func(b *Builder) {
				ds, pods := Running(b, 3, MaxUnavailable(limit))
				ds.Update("v2")
				with.lose(ds, pods[0])
				b.After(judge.Prompt)
				pods[1].Terminating()
			}
		}
		Breaks(t, with.j, Tell("another node loses its pod", told("1")))
		Keeps(t, with.j, Tell("two may be without", told("2")))
		Ignores(t, with.j, Tell("none is without", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[1].Terminating()
		}))
	}
}
