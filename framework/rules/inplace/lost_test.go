package inplace_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/inplace"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestWhatNobodyCanKnowIsNotHeldAgainstPatches(t *testing.T) {
	// INPLACE-008: a pod of which no history says any more what template it was made of is recreated.
	Ignores(t, inplace.Patches(), Tell("no history says any more what the pod was made of", func(b *Builder) {
		ds, pods := Running(b, 2, InPlace(), MaxUnavailable("1"))
		first := ds.Revision("v1", 1)
		for _, pod := range pods {
			pod.Started()
		}
		b.After(Long)
		ds.Update("v2").Revision("v2", 2)
		b.Stimulus(history.DeleteRevision, first)
		first.Gone()
		b.After(2 * judge.Lag)
		pods[0].Terminating()
	}))
	Ignores(t, inplace.SetPatches(), Tell("no history says any more what the StatefulSet's pod was made of", func(b *Builder) {
		set, pods := running(b, 2, SetInPlace())
		first := set.Revision("v1", 1)
		set.Set(SetVersion("v2"))
		set.Revision("v2", 2)
		b.Stimulus(history.DeleteRevision, first)
		first.Gone()
		b.After(2 * judge.Lag)
		pods[1].Terminating()
	}))
	Keeps(t, inplace.SetCounts(), Tell("the status counts a pod that somebody has deleted just now", func(b *Builder) {
		set, pods := rolling(b, 3, SetInPlace())
		pods[2].Patch("v2").Observed()
		pods[1].Unready()
		set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 1 })
		b.After(Long)
		pods[1].Ready()
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Gone()
		set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 2 })
	}))
}
