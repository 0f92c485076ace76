package situation_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// TestARuleIsKeptInASituation tells, for each situation, a history in which the rule was put to the test in it, and the same history without what makes it.
func TestARuleIsKeptInASituation(t *testing.T) {
	for _, test := range []struct {
		situation judge.Situation
		rule      judge.Rule
		// tell writes the history: with what makes the situation, or without.
		tell func(b *Builder, with bool)
	}{
		{situation.RolledBack(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			if with {
				replaced := handOff(b, ds, pods[1], "b")
				ds.Update("v1")
				handOff(b, ds, replaced, "c")
				return
			}
			handOff(b, ds, pods[0], "a")
		}},
		{situation.Overtook(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			if with {
				ds.Update("v2")
			}
			ds.Update("v3")
			handOff(b, ds, pods[0], "a")
		}},
		{situation.Restarted(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			if with {
				b.Stimulus(history.RestartImplementation, Gate("DaemonSetUpdateSurge", true)).Done()
			}
			handOff(b, ds, pods[0], "a")
		}},
		// It acts before the harness has seen it start.
		{situation.Restarted(), revisions.HistoryCurrent(), func(b *Builder, with bool) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			if with {
				b.Stimulus(history.KillImplementation, ds).Done()
			}
			b.After(Settled)
			ds.Update("v1")
			if with {
				b.Stimulus(history.RestartImplementation, Gate("DaemonSetUpdateSurge", true))
			}
			first.Renumber(3)
		}},
		{situation.Relimited(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			if with {
				ds.Set(MaxSurge("2"))
			}
			handOff(b, ds, pods[0], "a")
		}},
		{situation.Retimed(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			if with {
				ds.Set(MinReadySeconds(2))
			}
			handOff(b, ds, pods[0], "a")
		}},
		{situation.Staggered(), rollout.SurgeHandOver(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("2"), MinReadySeconds(10))
			ds.Update("v2")
			ds.Pod("new-a", NodeName(0)).Ready()
			if with {
				b.After(3 * time.Second)
			}
			ds.Pod("new-b", NodeName(1)).Ready()
			b.After(8 * time.Second)
			pods[0].Terminating()
			b.After(3 * time.Second)
			pods[1].Terminating()
		}},
		{situation.OnCordoned(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Spec.Unschedulable = with })
			handOff(b, ds, pods[0], "a")
		}},
		{situation.OnUnknown(), rollout.UnreadyReplaced(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Edit(func(pod *corev1.Pod) {
				history.Ready(pod).Status = corev1.ConditionFalse
				if with {
					history.Ready(pod).Status = corev1.ConditionUnknown
				}
			})
			ds.Pod("new-a", NodeName(0))
		}},
		{situation.OnRelapsed(), rollout.SurgeHandOff(), func(b *Builder, with bool) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			ds.Update("v2")
			young := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(2 * time.Second)
			if with {
				young.Unready().Ready()
			}
			b.After(11 * time.Second)
			pods[0].Terminating()
		}},
		{situation.SurgeUsedUp(), rollout.SurgeBound(), func(b *Builder, with bool) {
			limit := "2"
			if with {
				limit = "1"
			}
			ds, _ := Running(b, 3, MaxSurge(limit))
			ds.Update("v2").Pod("new-a", NodeName(0))
		}},
		{situation.UnavailableUsedUp(), rollout.RollingFloor(), func(b *Builder, with bool) {
			limit := "2"
			if with {
				limit = "1"
			}
			ds, pods := Running(b, 3, MaxUnavailable(limit))
			ds.Update("v2")
			pods[0].Terminating()
		}},
		{situation.PercentageGrew(situation.MaxSurge), rollout.SurgeBound(), func(b *Builder, with bool) {
			ds, _ := Running(b, 4, MaxSurge("25%"))
			ds.Update("v2")
			if with {
				b.Node("late").Join()
			}
			b.After(Settled)
			ds.Pod("new-a", NodeName(0))
		}},
		{situation.PercentageShrank(situation.MaxSurge), rollout.SurgeBound(), func(b *Builder, with bool) {
			b.Node("early").Join()
			ds, _ := Running(b, 4, MaxSurge("25%"))
			ds.Update("v2")
			if with {
				b.Node("early").Leave()
			}
			b.After(Settled)
			ds.Pod("new-a", NodeName(0))
		}},
		{situation.PercentageClosed(situation.MaxSurge), rollout.SurgeBound(), func(b *Builder, with bool) {
			ds, _ := Running(b, 4, MaxSurge("25%"))
			if with {
				b.Node("closed").Join().Taint("keep-out", corev1.TaintEffectNoSchedule)
			}
			ds.Update("v2")
			b.After(Settled)
			ds.Pod("new-a", NodeName(0))
		}},
	} {
		t.Run(test.situation.Name, func(t *testing.T) {
			for _, with := range []bool{true, false} {
				b := New(t)
				test.tell(b, with)
				verdict := judge.Run(b.History(), []judge.Rule{test.rule})[0]
				if verdict.Outcome != judge.Holds || !verdict.Exercised {
					t.Fatalf("with it %t: %s, exercised %t: %v", with, verdict.Outcome, verdict.Exercised, verdict.Violations)
				}
				if seen := slices.Contains(verdict.Situations, test.situation.Name); seen != with {
					t.Errorf("with it %t: seen %t, among %q", with, seen, verdict.Situations)
				}
			}
		})
	}
}

// Settled is enough for a node to have to be known.
const Settled = 2 * judge.Lag

// handOff replaces the old pod, and returns the one in its place.
func handOff(b *Builder, ds *DaemonSet, old *Pod, name string) *Pod {
	updated := ds.Pod("new-"+name, old.Object().Spec.NodeName).Ready()
	b.After(4 * time.Second)
	old.Terminating().Gone()
	return updated
}

// What breaks the rule was not kept.
func TestWhatIsBrokenIsNotKept(t *testing.T) {
	b := New(t)
	ds, pods := Running(b, 2, MaxSurge("1"))
	ds.Update("v2")
	b.After(Settled)
	pods[0].Terminating()
	verdict := judge.Run(b.History(), []judge.Rule{rollout.SurgeHandOff()})[0]
	if verdict.Outcome != judge.Broken || len(verdict.Situations) > 0 {
		t.Errorf("%s, kept in %q", verdict.Outcome, verdict.Situations)
	}
}
