package rollout_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestAvailableMeans(t *testing.T) {
	j := rollout.AvailableMeans()
	Breaks(t, j,
		Tell("an old pod goes for one that is Ready, but not for long enough", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(9 * time.Second).Sub(b.Now()))
			pods[0].Terminating()
		}),
		Tell("an old pod goes for one that is terminating", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			b.Stimulus(history.DeletePod, young)
			young.Terminating()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("an old pod goes for one that is not Ready", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Terminating()
		}),
	)
	Keeps(t, j,
		Tell("an old pod goes for one that is available to the second", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
			pods[0].Terminating()
		}),
	)
	// Limits that are broken, but not through a wrong idea of what is available.
	for name, write := range map[string]func(*Builder){
		"delete first": func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Terminating()
		},
		"one node too many surges": func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			ds.Pod("new-b", NodeName(1))
		},
		"a node too many surges, also if what is Ready were available": func(b *Builder) {
			ds, _ := Running(b, 4, MaxSurge("2"), MinReadySeconds(10))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			ds.Pod("new-b", NodeName(1))
			ds.Set(MaxSurge("1"))
			b.After(2 * time.Second)
			ds.Pod("new-c", NodeName(2))
		},
		"a pod too many goes, also if what is Ready were available": func(b *Builder) {
			ds, pods := Running(b, 4, MaxUnavailable("2"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0)).Ready()
			pods[1].Terminating()
			ds.Set(MaxUnavailable("1"))
			b.After(2 * time.Second)
			pods[2].Terminating()
		},
		"an available old pod goes as one of two, whichever it is": func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("middle-a", NodeName(0))
			ds.Update("v3").Pod("new-a", NodeName(0))
			pods[0].Terminating()
		},
		"the next node surges once the first surge pod is Ready": func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("1"), MinReadySeconds(10))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(5 * time.Second)
			ds.Pod("new-b", NodeName(1))
		},
		"the next pod goes once the first's replacement is Ready": func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"), MinReadySeconds(10))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("new-a", NodeName(0)).Ready()
			b.After(5 * time.Second)
			pods[1].Terminating()
		},
		"the next pod goes on the strength of a terminating one": func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			replacement := ds.Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			b.Stimulus(history.DeletePod, replacement)
			replacement.Terminating()
			b.After(Long)
			pods[1].Terminating()
		},
		"every old pod goes at once": func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			for _, pod := range pods {
				pod.Terminating()
			}
		},
	} {
		t.Run("not its business: "+name, func(t *testing.T) {
			b := New(t)
			write(b)
			verdicts := judge.Run(b.History(), rules.All())
			if len(verdicts.Violations()) == 0 {
				t.Error("no judge broken")
			}
			if verdict := VerdictOf(t, verdicts, j); len(verdict.Violations) > 0 {
				t.Error(verdict.Violations)
			}
		})
	}
}
