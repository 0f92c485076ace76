package matchers_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestCounts(t *testing.T) {
	b, ds, second := rollout(t)
	second.Terminating()
	created := After(PodCreated(), TemplateChanged())
	underway, rested := b.History(), atRest(b)
	keeps(t, underway, Exactly(2, created))
	keeps(t, underway, AtLeast(2, created))
	keeps(t, underway, AtMost(2, created))
	keeps(t, underway, AtMost(2, PodFailed()))
	keeps(t, underway, UpTo(2, created))
	keeps(t, underway, Never(PodFailed()))
	keeps(t, underway, OnEveryNode(Exactly(1, created)))

	// Too many are too many at once.
	breaks(t, underway, Exactly(1, created), "2 × pod created", "new-a", "new-b")
	breaks(t, underway, AtMost(1, created), "2 × pod created")
	breaks(t, underway, UpTo(1, created), "2 × pod created")
	breaks(t, underway, Never(created), "new-a")

	// Too few may still become enough, until nothing moves any more.
	for _, m := range []Matcher{Exactly(3, created), AtLeast(3, created)} {
		isUntested(t, underway, m, "only 2 × pod created", "things still change")
		breaks(t, rested, m, "only 2 × pod created", "new-b")
	}
	for _, m := range []Matcher{Exactly(1, PodFailed()), AtLeast(1, PodFailed())} {
		isUntested(t, underway, m, "no pod failed at all")
		breaks(t, rested, m, "no pod failed at all")
	}
	isUntested(t, rested, UpTo(3, created), "the limit was not reached")

	ds.Pod("churn", "node-2")
	breaks(t, b.History(), OnEveryNode(Exactly(1, created)), "node-2", "churn")
}

func TestWhatIsDueMayStillComeWhileThingsMove(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(*historytest.Builder, *historytest.DaemonSet, *historytest.Pod)
		overdue bool
	}{
		"a heartbeat": {func(b *historytest.Builder, _ *historytest.DaemonSet, _ *historytest.Pod) {
			b.Node("node-1").Edit(func(*corev1.Node) {})
		}, true},
		"a status write": {func(_ *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) { ds.Counts(2, 2, 2, 1, 1) }, true},
		"a label of a pod": {func(_ *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) {
			pod.Edit(func(pod *corev1.Pod) { pod.Labels["extra"] = "yes" })
		}, true},
		"a number of a history": {func(b *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) {
			revision := ds.Revision("v1", 1)
			b.After(judge.Lag + judge.Prompt)
			revision.Renumber(3)
		}, true},
		"a new template": {func(_ *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) { ds.Update("v3") }, false},
		"a pod unready":  {func(_ *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) { pod.Unready() }, false},
		"a pod deleted":  {func(_ *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) { pod.Terminating() }, false},
		"a pod gone":     {func(_ *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) { pod.Gone() }, false},
		"a node":         {func(b *historytest.Builder, _ *historytest.DaemonSet, _ *historytest.Pod) { b.Node("node-3").Join() }, false},
		"an act": {func(b *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) {
			b.Stimulus(history.BecomeReady, pod)
		}, false},
		"a ControllerRevision": {func(_ *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) { ds.Revision("v3", 3) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, ds, second := rollout(t)
			b.After(judge.Lag + judge.Prompt)
			test.happens(b, ds, second)
			b.Mark("just after")
			if test.overdue {
				breaks(t, b.History(), AtLeast(1, PodFailed()))
				return
			}
			isUntested(t, b.History(), AtLeast(1, PodFailed()))
			breaks(t, atRest(b), AtLeast(1, PodFailed()))
		})
	}
}
