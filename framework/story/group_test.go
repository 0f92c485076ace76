package story_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

// at is a violation by the event with that resourceVersion.
func at(id requirements.ID, node string, resourceVersion uint64, got string) judge.Violation {
	return judge.Violation{
		Requirement: id, Promise: "a promise", Node: node, ResourceVersion: resourceVersion, Got: got,
		Window: []history.Entry{{ResourceVersion: resourceVersion}},
	}
}

// withoutEvent is a violation by a state.
func withoutEvent(v judge.Violation) judge.Violation {
	v.Window = nil
	return v
}

func TestTheFirstViolationLeadsAndAnEventIsToldOnce(t *testing.T) {
	t.Parallel()
	type finding struct {
		requirement requirements.ID
		first       uint64
		more        int
		sameAs      requirements.ID
		also        []requirements.ID
	}
	for name, test := range map[string]struct {
		violations []judge.Violation
		want       []finding
	}{
		"none": {nil, nil},
		"one requirement on several nodes": {
			[]judge.Violation{at("SURGE-007", "a", 30, "x"), at("SURGE-007", "b", 20, "x"), at("SURGE-007", "b", 40, "x")},
			[]finding{{"SURGE-007", 20, 2, "", nil}},
		},
		"one event, several requirements": {
			[]judge.Violation{at("AVAIL-001", "a", 30, "x"), at("SURGE-006", "a", 30, "y"), at("SURGE-016", "a", 30, "z"), at("SURGE-016", "a", 50, "z")},
			[]finding{{"AVAIL-001", 30, 0, "", []requirements.ID{"SURGE-006", "SURGE-016"}}, {"SURGE-006", 30, 0, "AVAIL-001", nil}, {"SURGE-016", 30, 1, "AVAIL-001", nil}},
		},
		"the order given decides who shows it": {
			[]judge.Violation{at("SURGE-006", "a", 30, "y"), at("AVAIL-001", "a", 30, "x")},
			[]finding{{"SURGE-006", 30, 0, "", []requirements.ID{"AVAIL-001"}}, {"AVAIL-001", 30, 0, "SURGE-006", nil}},
		},
		"another node, another event": {
			[]judge.Violation{at("AVAIL-001", "a", 30, "x"), at("SURGE-006", "b", 30, "y"), at("SURGE-016", "a", 31, "z")},
			[]finding{{"AVAIL-001", 30, 0, "", nil}, {"SURGE-006", 30, 0, "", nil}, {"SURGE-016", 31, 0, "", nil}},
		},
		"a state is not an event": {
			[]judge.Violation{at("AVAIL-001", "a", 30, "x"), withoutEvent(at("SURGE-006", "a", 30, "y")), withoutEvent(at("SURGE-016", "a", 30, "z"))},
			[]finding{{"AVAIL-001", 30, 0, "", nil}, {"SURGE-006", 30, 0, "", []requirements.ID{"SURGE-016"}}, {"SURGE-016", 30, 0, "SURGE-006", nil}},
		},
		"answers of the API server": {
			[]judge.Violation{withoutEvent(at("API-001", "", 0, "x")), withoutEvent(at("API-002", "", 0, "y"))},
			[]finding{{"API-001", 0, 0, "", nil}, {"API-002", 0, 0, "", nil}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(test.violations)
			var got []finding
			for _, f := range story.Group(test.violations) {
				got = append(got, finding{f.Requirement, f.ResourceVersion, len(f.More), f.SameEventAs, f.AlsoBreaks})
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if !reflect.DeepEqual(given, test.violations) {
				t.Error("Group changed what it was given")
			}
		})
	}
}

// TestManyViolationsOfOneCauseReadLikeThis: two old pods go before the updated ones are available, and each breaks two promises.
func TestManyViolationsOfOneCauseReadLikeThis(t *testing.T) {
	t.Parallel()
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("25%"), historytest.MinReadySeconds(5))
	nodes := []string{"node-1", "node-2", "node-3"}
	var old []*historytest.Pod
	for _, node := range nodes {
		b.Node(node).Join()
		old = append(old, agent.Pod("agent-old-"+node, node).Ready())
	}
	b.After(9 * time.Second)
	agent.Update("v2")
	var violations []judge.Violation
	for i, node := range nodes {
		agent.Pod("agent-new-"+node, node).Ready()
		b.After(time.Second)
		old[i].Terminating()
		deleted := newest(b)
		for _, id := range []requirements.ID{"SURGE-006", "SURGE-016"} {
			violations = append(violations, judge.Violation{
				Requirement: id, Promise: "the promise of " + string(id), Node: node, ResourceVersion: deleted.ResourceVersion, Time: deleted.Time,
				Got: "agent-old-" + node + " deleted too early", Window: []history.Entry{deleted},
			})
		}
	}
	last := violations[0]
	last.Promise, last.Got = "on every node agent-old goes (no. 1)", "agent-old-node-1 gone (no. 1)"
	violations = append(violations, last)

	text := ""
	for _, violation := range story.Findings(b.History(), violations, story.Options{Recording: "recordings/surge.jsonl", Spec: "SURGE hurries"}) {
		requirement := reports.Requirement{ID: violation.Requirement}
		text += reports.Story(requirement, readBack(t, requirement, violation), reports.StoryOptions{Unicode: true, Folder: "_artifacts"}) + "\n"
	}
	goldentest.Equal(t, "testdata/one-cause.txt", text)
}

// TestAStateThatIsWrongIsShown: nothing happened, which no event shows.
func TestAStateThatIsWrongIsShown(t *testing.T) {
	t.Parallel()
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("50%"))
	for _, node := range []string{"node-1", "node-2", "node-3"} {
		b.Node(node).Join()
		agent.Pod("agent-old-"+node, node).Ready()
	}
	agent.Update("v2").Pod("agent-new-node-1", "node-1").Ready()
	agent.Counts(3, 3, 3, 3, 1)
	b.After(10 * time.Second).End(history.Ending{})
	end := newest(b)
	violation := story.Report(b.History(), judge.Violation{
		Requirement: "SURGE-001", Promise: "at the end every pod is updated", Got: "3 of 4 pods are not", ResourceVersion: end.ResourceVersion, Time: end.Time,
	}, story.Options{Spec: "SURGE stalls"})
	requirement := reports.Requirement{ID: "SURGE-001"}
	goldentest.Equal(t, "testdata/state.txt", reports.Story(requirement, readBack(t, requirement, violation), reports.StoryOptions{}))
}

// TestAPodIsCalledWhatItIsWhenThePromiseBreaks: a pod made before the rollout was updated then, and is old now.
func TestAPodIsCalledWhatItIsWhenThePromiseBreaks(t *testing.T) {
	t.Parallel()
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"))
	old := agent.Pod("agent-old", "node-1")
	created := newest(b)
	agent.Update("v2")
	old.Terminating()
	deleted := newest(b)
	violation := story.Report(b.History(), brokenBy(judge.Violation{Requirement: "SURGE-006", Node: "node-1"}, created, deleted), story.Options{})
	if lane := violation.Picture.Nodes[0].Lanes[0]; lane.Revision != "old" {
		t.Errorf("its lane calls it %q, want old", lane.Revision)
	}
	for i, want := range []string{
		"pod agent-old (old v1, updated at the time) on node-1 was created: pending", "pod agent-old (old v1) on node-1 began terminating",
	} {
		if got := violation.Window[i].Event; got != want {
			t.Errorf("the table says %q, want %q", got, want)
		}
	}
}

// TestNoEventIsBeforeOneThatCameEarlier: the receive times of two watches may run against the order of the events.
func TestNoEventIsBeforeOneThatCameEarlier(t *testing.T) {
	t.Parallel()
	given := oldPodGoneTooEarly(t)
	broke := len(given.h.Entries) - 3
	for given.h.Entries[broke].ResourceVersion != given.violation.ResourceVersion {
		broke--
	}
	given.h.Entries[broke-1].Time = given.h.Entries[broke].Time.Add(228 * time.Millisecond)
	given.violation.Window[len(given.violation.Window)-2] = given.h.Entries[broke-1]
	violation := story.Report(given.h, given.violation, story.Options{})
	for i, event := range violation.Window {
		if event.Offset > 0 {
			t.Errorf("event %d of the window is %s after the violation that it precedes", i, event.Offset)
		}
	}
	if !slices.IsSorted(violation.Picture.Steps) {
		t.Errorf("the steps %v are not in order", violation.Picture.Steps)
	}
}
