package judge_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestSurgeZeroDowntime(t *testing.T) {
	j := judge.SurgeZeroDowntime()
	// The promise is about rollouts that began with maxSurge.
	breaks(t, j, without(deletedEarly(), append(hit(), "maxUnavailable was allowed long ago")...)...)
	breaks(t, j,
		story{"the updated pod goes after the old one, while another node is still to be rolled", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", node(0)).Ready()
			pods[0].Terminating().Gone()
			b.After(long)
			young.Terminating()
		}},
		story{"a lever made a pod of the node ready, which hurts nobody", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"), MinReadySeconds(30))
			b.After(long)
			young := ds.Update("v2").Pod("new-a", node(0))
			b.Stimulus(history.BecomeReady, young)
			young.Ready()
			pods[0].Terminating()
		}},
	)
	keeps(t, j, without(deletedInTime(), hit()...)...)
	ignores(t, j, only(deletedInTime(), hit()...)...)
	ignores(t, j, nobodysFault()...)
	ignores(t, j,
		story{"a node that a lever made unready is out of it, also when it has recovered", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", node(0)).Ready()
			b.Stimulus(history.BecomeUnready, pods[0])
			pods[0].Unready()
			b.After(long)
			pods[0].Ready()
			b.After(long)
			pods[0].Terminating()
			young.Unready()
		}},
		story{"a pod fails of itself and recovers", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", node(0))
			pods[0].Unready()
			b.After(long)
			pods[0].Ready()
			young.Ready()
			b.After(long)
			pods[0].Terminating()
		}},
		story{"a pod fails of itself", func(b *Builder) {
			ds, pods := running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Unready()
			b.After(long)
			pods[0].Terminating()
		}},
		story{"the rollout is over", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			b.After(long)
			ds.Update("v2").Pod("new-a", node(0)).Ready()
		}},
	)
}
