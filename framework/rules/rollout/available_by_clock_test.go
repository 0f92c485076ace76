package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestAvailableByClock(t *testing.T) {
	j := rollout.AvailableByClock()
	waiting := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 1, MaxSurge("1"), MinReadySeconds(10))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		return ds, pods
	}
	Omits(t, j, Tell("nobody looks at the clock", func(b *Builder) {
		waiting(b)
		b.After(10*time.Second + late).Mark("end")
	}))
	Ignores(t, j, Tell("the clock was not alone: the API server answered nobody, and then again", func(b *Builder) {
		waiting(b)
		b.After(11 * time.Second).Standstill(2 * time.Second).After(2*time.Second + late).Mark("end")
	}))
	Keeps(t, j,
		Tell("the old pod goes by itself", func(b *Builder) {
			_, pods := waiting(b)
			b.After(10*time.Second + 100*time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("without maxSurge the next pod goes by itself", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0)).Ready()
			b.After(10*time.Second + 100*time.Millisecond)
			pods[1].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("a write woke the controller just before", func(b *Builder) {
			ds, pods := waiting(b)
			b.After(9500 * time.Millisecond)
			ds.Observed()
			b.After(time.Second)
			pods[0].Terminating()
		}),
		Tell("a node woke the controller afterwards", func(b *Builder) {
			_, pods := waiting(b)
			b.After(11 * time.Second)
			b.Node(NodeName(0)).Edit(func(*corev1.Node) {})
			b.After(time.Second)
			pods[0].Terminating()
		}),
		Tell("a process that was started afterwards looks anyway", func(b *Builder) {
			_, pods := waiting(b)
			b.After(11 * time.Second)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(late)
			pods[0].Terminating()
		}),
		Tell("a write in between, and nothing happens", func(b *Builder) {
			ds, _ := waiting(b)
			b.After(11 * time.Second)
			ds.Observed()
			b.After(Long).Mark("end")
		}),
	)
}
