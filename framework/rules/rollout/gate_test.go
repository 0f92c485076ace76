package rollout_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// begin restarts the implementation with the gate of surge on or off; end says that it is at work again.
func begin(b *Builder, on bool) {
	b.Stimulus(history.RestartImplementation, Gate("DaemonSetUpdateSurge", on))
}

func switched(b *Builder, on bool) {
	begin(b, on)
	b.Done()
}

func TestWithoutTheGateMaxSurgeIsZero(t *testing.T) {
	Breaks(t, rollout.RollingOnePod(),
		Tell("a surge pod although the gate is off", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			switched(b, false)
			b.After(judge.Lag)
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a surge pod after a crash, which leaves the gate as it was", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			switched(b, false)
			b.Stimulus(history.CrashImplementation, Object("", "")).Done()
			b.After(judge.Lag)
			ds.Update("v2").Pod("second", NodeName(0))
		}),
	)
	Ignores(t, rollout.RollingOnePod(),
		Tell("a surge pod of the process before, while it is being replaced", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			begin(b, false)
			b.After(Long)
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a surge pod of the process before, heard of late", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			begin(b, false)
			b.After(Long).Done()
			ds.Pod("second", NodeName(0))
		}),
		Tell("a surge pod of the process with the gate on, before it is known to be at work", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			switched(b, false)
			b.After(Long)
			ds.Update("v2")
			begin(b, true)
			b.After(judge.Lag)
			ds.Pod("second", NodeName(0))
		}),
		Tell("a surge pod after a restart as the file says", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			switched(b, false)
			b.After(Long)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(Long)
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a surge pod of kube-controller-manager", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			switched(b, false)
			b.After(Long)
			b.Stimulus(history.HandBack, Object("", "")).Done()
			b.After(Long)
			ds.Update("v2").Pod("second", NodeName(0))
		}),
	)
}

func TestWithoutTheGateMaxUnavailableIsAtLeastOne(t *testing.T) {
	Keeps(t, rollout.RollingFloor(),
		Tell("one pod goes before its successor comes", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("1"))
			switched(b, false)
			b.After(judge.Lag)
			ds.Update("v2")
			pods[0].Terminating().Gone()
		}),
	)
	Breaks(t, rollout.RollingFloor(),
		Tell("two pods go at once", func(b *Builder) {
			ds, pods := Running(b, 3, MaxSurge("2"))
			switched(b, false)
			b.After(judge.Lag)
			ds.Update("v2")
			pods[0].Terminating()
			pods[1].Terminating()
		}),
	)
	Omits(t, rollout.RollingGoesOn(),
		Tell("the rollout stands still", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			switched(b, false)
			b.After(judge.Lag)
			ds.Update("v2")
			b.After(Long)
			b.Node("node-9").Join()
		}),
	)
}

func TestWithTheGateOnAgainMaxSurgeIsInForce(t *testing.T) {
	for _, j := range []judge.Rule{rollout.SurgeHandOff(), rollout.SurgeZeroDowntime()} {
		Breaks(t, j,
			Tell("an old pod goes first, long after", func(b *Builder) {
				ds, pods := Running(b, 2, MaxSurge("1"))
				switched(b, false)
				b.After(Long)
				switched(b, true)
				b.After(Long)
				ds.Update("v2")
				pods[0].Terminating()
			}),
			Tell("an old pod goes first although it never was off: the act failed", func(b *Builder) {
				ds, pods := Running(b, 2, MaxSurge("1"))
				begin(b, false)
				b.Refused()
				b.After(Long)
				ds.Update("v2")
				pods[0].Terminating()
			}),
		)
	}
	Omits(t, rollout.SurgeStarts(),
		Tell("the rollout that began without it does not surge", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			switched(b, false)
			ds.Update("v2")
			b.After(judge.Lag)
			switched(b, true)
			b.After(Long)
			b.Node("node-9").Join()
		}),
	)
	nodeLeaves := func(lag time.Duration) func(*Builder) {
		return func(b *Builder) {
			b.Node("node-9").Join()
			ds, _ := Running(b, 4, MaxSurge("25%"))
			switched(b, false)
			b.After(Long)
			ds.Update("v2")
			b.Node("node-9").Leave()
			b.After(lag)
			switched(b, true)
			ds.Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		}
	}
	Keeps(t, rollout.SurgeBound(), Tell("25% of the five nodes that there were when the process was started", nodeLeaves(100*time.Millisecond)))
	Breaks(t, rollout.SurgeBound(), Tell("25% of the five nodes that there were long before the process was started", nodeLeaves(judge.Lag)))
}
