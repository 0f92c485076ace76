package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func undated(pod *Pod) *Pod {
	return pod.Edit(func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	})
}

// leavesUndated deletes an old pod while that of another node, the updated one, has no transition time.
func leavesUndated(b *Builder, maxUnavailable string) {
	ds, pods := Running(b, 3, MaxUnavailable(maxUnavailable), MinReadySeconds(10))
	ds.Update("v2")
	pods[0].Terminating().Gone()
	undated(ds.Pod("new-a", NodeName(0)))
	b.After(Long)
	pods[1].Terminating()
}

// takesUndated deletes an old pod for one without a transition time.
func takesUndated(b *Builder) {
	ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
	undated(ds.Update("v2").Pod("new-a", NodeName(0)))
	b.After(Long)
	pods[0].Terminating()
}

func TestAvailableUndated(t *testing.T) {
	j := rollout.AvailableUndated()
	Breaks(t, j, Tell("an old pod goes for it", takesUndated),
		Tell("an old pod of another node goes, although maxUnavailable is used up by it", func(b *Builder) { leavesUndated(b, "1") }))
	Keeps(t, j,
		Tell("an old pod of another node goes, within maxUnavailable", func(b *Builder) { leavesUndated(b, "2") }),
		Tell("the old pod stays", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			undated(ds.Update("v2").Pod("new-a", NodeName(0)))
			b.After(Long)
			b.Mark("end")
		}),
		Tell("the time went just before", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			updated := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(10*time.Second + judge.Lag)
			undated(updated)
			b.After(judge.Lag / 2)
			pods[0].Terminating()
		}))
	Ignores(t, j, Tell("without minReadySeconds the time does not matter", func(b *Builder) {
		ds, pods := Running(b, 2, MaxSurge("1"))
		undated(ds.Update("v2").Pod("new-a", NodeName(0)))
		b.After(judge.Lag)
		pods[0].Terminating()
	}))
}

// What an extended requirement explains breaks no core one.
func TestAnUndatedPodBreaksNothingElse(t *testing.T) {
	for _, write := range []func(*Builder){takesUndated, func(b *Builder) { leavesUndated(b, "1") }} {
		b := New(t)
		write(b)
		var broken []requirements.ID
		for _, violation := range judge.Run(b.History(), Standing(rollout.AvailableUndated())).Violations() {
			broken = append(broken, violation.Requirement)
		}
		if len(broken) != 1 || broken[0] != "AVAIL-006" {
			t.Errorf("broken: %v, want AVAIL-006 alone", broken)
		}
	}
}
