package rules_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

// act is the last event of a story, before which the harness may have done what the inference takes it for.
type act struct {
	rule judge.Rule
	tell func(b *Builder, excused bool)
}

// acts are what judges ask the author of.
func acts() map[string]act {
	excuse := func(b *Builder, excused bool, act history.Act, on Subject) {
		if excused {
			b.Stimulus(act, on)
		}
	}
	return map[string]act{
		"a deletion": {rollout.SurgeHandOff(), func(b *Builder, excused bool) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			ds.Update("v2")
			excuse(b, excused, history.DeletePod, pods[0])
			pods[0].Terminating()
		}},
		"a creation": {rollout.SurgeTwoPods(), func(b *Builder, excused bool) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
			excuse(b, excused, history.CreatePod, Object(history.KindPod, "third"))
			ds.Update("v3").Pod("third", NodeName(0))
		}},
		"a status write": {status.StatusBound(), func(b *Builder, excused bool) {
			ds, _ := Running(b, 1)
			excuse(b, excused, history.WriteStatus, ds)
			ds.Status(func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled, status.NumberAvailable = 1, 2 })
		}},
		"the deletion of a history": {revisions.HistoryLive(), func(b *Builder, excused bool) {
			ds, _ := Running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			excuse(b, excused, history.DeleteRevision, first)
			first.Gone()
		}},
		"a stranger's deletion": {rollout.Bystanders(), func(b *Builder, excused bool) {
			Running(b, 1)
			stranger := b.Stranger("stranger", NodeName(0), nil)
			excuse(b, excused, history.DeletePod, stranger)
			stranger.Terminating()
		}},
		"a stranger's relabelling": {rollout.Bystanders(), func(b *Builder, excused bool) {
			Running(b, 1)
			stranger := b.Stranger("stranger", NodeName(0), nil)
			excuse(b, excused, history.LabelPod, stranger)
			stranger.Edit(func(pod *corev1.Pod) { pod.Labels = map[string]string{"app": "other"} })
		}},
	}
}

func TestWhoDidItIsInferredWhereItIsNotKnown(t *testing.T) {
	for name, act := range acts() {
		Breaks(t, act.rule, Tell(name+" by nobody else", func(b *Builder) { act.tell(b, false) }))
		Breaks(t, act.rule, Tell(name+" by a stranger, who may be the implementation", func(b *Builder) {
			act.tell(b, false)
			b.By(history.Unknown, "update")
		}))
		holds(t, act.rule, Tell(name+" after the harness said so", func(b *Builder) { act.tell(b, true) }))
	}
}

func TestAnAuthorIsBelievedWhateverElseHappened(t *testing.T) {
	for name, act := range acts() {
		Breaks(t, act.rule, Tell(name+" by the implementation, after the harness meant to", func(b *Builder) {
			act.tell(b, true)
			b.By(history.Implementation, "update")
		}))
		for _, who := range []history.Who{history.Harness, history.NodeLifecycle, history.DaemonSetController} {
			holds(t, act.rule, Tell(name+" by "+string(who), func(b *Builder) {
				act.tell(b, false)
				b.By(who, "update")
			}))
		}
	}
}

// holds asserts that the story does not break the rule's promise, put to the test or not.
func holds(t *testing.T, rule judge.Rule, story Story) {
	t.Helper()
	t.Run("not broken: "+story.Name(), func(t *testing.T) {
		b := New(t)
		story.Write(b)
		if verdict := VerdictOf(t, judge.Run(b.History(), []judge.Rule{rule}), rule); verdict.Outcome != judge.Holds {
			t.Errorf("%s %s: %v", rule.Requirement, verdict.Outcome, verdict.Violations)
		}
	})
}
