package judge_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// act is the last event of a story, before which the harness may have done what the inference takes it for.
type act struct {
	judge judge.Judge
	tell  func(b *Builder, excused bool)
}

// acts are what judges ask the author of.
func acts() map[string]act {
	excuse := func(b *Builder, excused bool, lever string, on Subject) {
		if excused {
			b.Stimulus(lever, on)
		}
	}
	return map[string]act{
		"a deletion": {judge.SurgeHandOff(), func(b *Builder, excused bool) {
			ds, pods := running(b, 1, MaxSurge("1"))
			ds.Update("v2")
			excuse(b, excused, "delete pod", pods[0])
			pods[0].Terminating()
		}},
		"a creation": {judge.SurgeTwoPods(), func(b *Builder, excused bool) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
			excuse(b, excused, "create pod", Object(history.KindPod, "third"))
			ds.Update("v3").Pod("third", node(0))
		}},
		"a status write": {judge.StatusBound(), func(b *Builder, excused bool) {
			ds, _ := running(b, 1)
			excuse(b, excused, "write status", ds)
			ds.Status(func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled, status.NumberAvailable = 1, 2 })
		}},
		"the deletion of a history": {judge.HistoryLive(), func(b *Builder, excused bool) {
			ds, _ := running(b, 1)
			first := ds.Revision("v1", 1)
			ds.Update("v2").Revision("v2", 2)
			excuse(b, excused, "delete revision", first)
			first.Gone()
		}},
		"a stranger's deletion": {judge.Bystanders(), func(b *Builder, excused bool) {
			running(b, 1)
			stranger := b.Stranger("stranger", node(0), nil)
			excuse(b, excused, "delete pod", stranger)
			stranger.Terminating()
		}},
		"a stranger's relabelling": {judge.Bystanders(), func(b *Builder, excused bool) {
			running(b, 1)
			stranger := b.Stranger("stranger", node(0), nil)
			excuse(b, excused, "label pod", stranger)
			stranger.Edit(func(pod *corev1.Pod) { pod.Labels = map[string]string{"app": "other"} })
		}},
	}
}

func TestWhoDidItIsInferredWhereItIsNotKnown(t *testing.T) {
	for name, act := range acts() {
		breaks(t, act.judge, story{name + " by nobody else", func(b *Builder) { act.tell(b, false) }})
		breaks(t, act.judge, story{name + " by a stranger, who may be the implementation", func(b *Builder) {
			act.tell(b, false)
			b.By(history.Unknown, "update")
		}})
		holds(t, act.judge, story{name + " after the harness said so", func(b *Builder) { act.tell(b, true) }})
	}
}

func TestAnAuthorIsBelievedWhateverElseHappened(t *testing.T) {
	for name, act := range acts() {
		breaks(t, act.judge, story{name + " by the implementation, after the harness meant to", func(b *Builder) {
			act.tell(b, true)
			b.By(history.Implementation, "update")
		}})
		for _, who := range []history.Who{history.Harness, history.NodeLifecycle, history.DaemonSetController} {
			holds(t, act.judge, story{name + " by " + string(who), func(b *Builder) {
				act.tell(b, false)
				b.By(who, "update")
			}})
		}
	}
}

// holds asserts that the stories do not break the judge's promise, put to the test or not.
func holds(t *testing.T, j judge.Judge, stories ...story) {
	t.Helper()
	for _, story := range stories {
		t.Run("not broken: "+story.name, func(t *testing.T) {
			b := New(t)
			story.write(b)
			if verdict := verdictOf(t, judge.Run(b.History(), []judge.Judge{j}), j); verdict.Outcome != judge.Holds {
				t.Errorf("%s %s: %v", j.Requirement, verdict.Outcome, verdict.Violations)
			}
		})
	}
}
