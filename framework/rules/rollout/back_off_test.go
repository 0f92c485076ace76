package rollout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// failing has a pod of the node fail again and again, each time recreated after the delay that is due.
func failing(b *Builder, options Option, times int, lives time.Duration, delay func(i int) time.Duration) {
	ds, _ := Running(b, 2, options)
	ds.Update("v2")
	b.Node("node-9").Join()
	for i := range times {
		pod := ds.Pod(fmt.Sprintf("new-%d", i), "node-9")
		b.After(lives)
		pod.Failed()
		b.After(delay(i))
		pod.Gone()
	}
	ds.Pod("last", "node-9")
}

// failingBeside has updated pods fail again and again, each recreated after the delay, beside an available pod: the old one of maxSurge.
func failingBeside(b *Builder, times int, delay time.Duration) {
	ds, _ := Running(b, 1, MaxSurge("1"))
	ds.Update("v2")
	for i := range times {
		pod := ds.Pod(fmt.Sprintf("new-%d", i), NodeName(0)).Failed()
		b.After(delay)
		pod.Gone()
	}
	ds.Pod("last", NodeName(0))
}

// recovering has pods fail one after the other, of which the seventh is available for the duration before.
func recovering(b *Builder, available time.Duration) {
	ds, _ := Running(b, 2, MaxSurge("1"))
	ds.Update("v2")
	b.Node("node-9").Join()
	for i := range 13 {
		pod := ds.Pod(fmt.Sprintf("new-%d", i), "node-9")
		if i == 6 {
			pod.Ready()
			b.After(available)
		}
		pod.Failed()
		b.After(time.Second)
		pod.Gone()
	}
	ds.Pod("last", "node-9")
}

func TestBackingOffBesideAnOldPod(t *testing.T) {
	j := rollout.SurgeBacksOff()
	Breaks(t, j,
		Tell("every second, beside an old pod that is available all the time", func(b *Builder) { failingBeside(b, 13, time.Second) }),
		Tell("every second, though one was available for a moment", func(b *Builder) { recovering(b, time.Second) }),
	)
	Keeps(t, j, Tell("one was available for long", func(b *Builder) { recovering(b, 11*time.Second) }))
}

func TestBackingOff(t *testing.T) {
	doubling := func(first time.Duration) func(int) time.Duration {
		return func(i int) time.Duration { return min(first<<i, 15*time.Minute) }
	}
	constant := func(delay time.Duration) func(int) time.Duration {
		return func(int) time.Duration { return delay }
	}
	for _, with := range []struct {
		j      judge.Rule
		option Option
	}{{rollout.SurgeBacksOff(), MaxSurge("1")}, {rollout.TargetBacksOff(), MaxUnavailable("3")}} {
		Breaks(t, with.j,
			Tell("a hot loop", func(b *Builder) { failing(b, with.option, 10, 0, constant(16*time.Millisecond)) }),
			Tell("at once, though the pods take long to fail", func(b *Builder) { failing(b, with.option, 10, Long, constant(time.Millisecond)) }),
			Tell("every second", func(b *Builder) { failing(b, with.option, 13, 0, constant(time.Second)) }),
			Tell("every six seconds", func(b *Builder) { failing(b, with.option, 8, 0, constant(6*time.Second)) }),
		)
		Keeps(t, with.j,
			Tell("from 100 ms, doubling", func(b *Builder) { failing(b, with.option, 16, 0, doubling(100*time.Millisecond)) }),
			Tell("from 1 s, doubling", func(b *Builder) { failing(b, with.option, 16, 0, doubling(time.Second)) }),
		)
		Ignores(t, with.j, Tell("the pods that failed while the API server answered nobody are all heard of at once", func(b *Builder) {
			ds, _ := Running(b, 2, with.option)
			ds.Update("v2")
			b.Node("node-9").Join()
			b.Standstill(time.Minute)
			for i := range 20 {
				ds.Pod(fmt.Sprintf("new-%d", i), "node-9").Failed().Gone()
			}
		}))
		Ignores(t, with.j, Tell("pods that somebody deletes one after the other, once one has failed", func(b *Builder) {
			ds, _ := Running(b, 2, with.option)
			ds.Update("v2")
			b.Node("node-9").Join()
			ds.Pod("new", "node-9").Failed().Gone()
			for i := range 20 {
				pod := ds.Pod(fmt.Sprintf("new-%d", i), "node-9").Ready()
				b.After(2 * time.Second)
				b.Stimulus(history.DeletePod, pod)
				pod.Terminating().Gone()
			}
			ds.Pod("last", "node-9")
		}))
		Ignores(t, with.j, Tell("the process forgets when it is restarted", func(b *Builder) {
			ds, _ := Running(b, 2, with.option)
			ds.Update("v2")
			b.Node("node-9").Join()
			for i := range 20 {
				ds.Pod(fmt.Sprintf("new-%d", i), "node-9").Failed().Gone()
				b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			}
		}))
	}
}
