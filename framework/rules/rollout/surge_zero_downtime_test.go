package rollout_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeZeroDowntime(t *testing.T) {
	j := rollout.SurgeZeroDowntime()
	// The promise is about rollouts that began with maxSurge.
	Breaks(t, j, without(deletedEarly(), append(hit(), "maxUnavailable was allowed long ago")...)...)
	Breaks(t, j,
		Tell("the updated pod goes after the old one, while another node is still to be rolled", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			pods[0].Terminating().Gone()
			b.After(Long)
			young.Terminating()
		}),
		Tell("a lever made a pod of the node ready, which hurts nobody", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(30))
			b.After(Long)
			young := ds.Update("v2").Pod("new-a", NodeName(0))
			b.Stimulus(history.BecomeReady, young)
			young.Ready()
			pods[0].Terminating()
		}),
	)
	Keeps(t, j, without(deletedInTime(), hit()...)...)
	Ignores(t, j, only(deletedInTime(), hit()...)...)
	Ignores(t, j, nobodysFault()...)
	Ignores(t, j,
		Tell("a node that a lever made unready is out of it, also when it has recovered", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.Stimulus(history.BecomeUnready, pods[0])
			pods[0].Unready()
			b.After(Long)
			pods[0].Ready()
			b.After(Long)
			pods[0].Terminating()
			young.Unready()
		}),
		Tell("a pod fails of itself and recovers", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Unready()
			b.After(Long)
			pods[0].Ready()
			young.Ready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("a pod fails of itself", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the rollout is over", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			b.After(Long)
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		}),
	)
}
