package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// failsFiveTimes has pods of the template fail on the first node, with delays that double, so that the next is due 16 s after the last.
func failsFiveTimes(b *Builder, ds *DaemonSet) {
	delay := time.Second
	for _, name := range []string{"a", "b", "c", "d"} {
		ds.Pod("bad-"+name, NodeName(0)).Failed().Terminating().Gone()
		b.After(delay)
		delay *= 2
	}
	ds.Pod("bad-e", NodeName(0)).Failed().Terminating().Gone()
}

// TARGET-010: a template that has failed on the node before and comes back may go on where it was.
func TestBackOffGoesOnWhenATemplateComesBack(t *testing.T) {
	again := func(b *Builder) {
		ds, _ := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		failsFiveTimes(b, ds)
		ds.Update("v1")
		b.After(time.Second)
		ds.Update("v2")
		b.After(15 * time.Second)
		ds.Pod("bad-f", NodeName(0))
	}
	Keeps(t, rollout.SurgeStarts(), Tell("the template that failed comes back", again))
	Keeps(t, rollout.SurgeGoesOn(), Tell("the template that failed comes back", again))
	Keeps(t, rollout.SurgeFills(), Tell("the template that failed comes back to a node without a pod", func(b *Builder) {
		ds, pods := Running(b, 1, MaxSurge("1"))
		ds.Update("v2")
		pods[0].Failed().Terminating().Gone()
		failsFiveTimes(b, ds)
		ds.Update("v1")
		b.After(time.Second)
		ds.Update("v2")
		b.After(15 * time.Second)
		ds.Pod("bad-f", NodeName(0))
	}))
	Keeps(t, rollout.RollingGoesOn(), Tell("the template that failed comes back", func(b *Builder) {
		ds, pods := Running(b, 1, MaxUnavailable("1"))
		ds.Update("v2")
		pods[0].Terminating().Gone()
		failsFiveTimes(b, ds)
		first := ds.Update("v1").Pod("again-a", NodeName(0)).Ready()
		b.After(time.Second)
		ds.Update("v2")
		b.After(time.Second)
		first.Terminating().Gone()
		b.After(14 * time.Second)
		ds.Pod("bad-f", NodeName(0))
	}))
}

// A pod that somebody else took from its DaemonSet just now.
func TestAPodThatWasReleasedJustNowIsNoBystanderYet(t *testing.T) {
	story := func(after time.Duration) func(b *Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("2"))
			ds.Update("v2")
			for i := range pods {
				ds.Pod("new-"+Letter(i), NodeName(i)).Ready()
			}
			b.After(judge.Lag)
			b.Stimulus(history.DeleteDaemonSet, ds)
			ds.Terminating()
			// The garbage collector orphans them.
			pods[0].Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
			b.After(after)
			pods[0].Terminating()
		}
	}
	t.Run("within Lag", func(t *testing.T) {
		b := New(t)
		story(judge.Lag / 4)(b)
		verdict := judge.Run(b.History(), []judge.Rule{rollout.Bystanders()})[0]
		if verdict.Outcome != judge.Holds {
			t.Errorf("%s: %v", verdict.Outcome, verdict.Violations)
		}
	})
	Breaks(t, rollout.Bystanders(), Tell("after Lag", story(2*judge.Lag)))
}
