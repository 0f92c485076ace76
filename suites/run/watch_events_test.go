package run

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestAWatchTellsItsEvents(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, second := overdrawn(t)
	h, err := passive.Open(first, second)
	if err != nil {
		t.Fatal(err)
	}
	violations := slices.DeleteFunc(passive.Judge(h).Violations(), func(v judge.Violation) bool { return v.Requirement != "ROLLING-002" })
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	rollout := &passive.Rollout{
		Workload: "scenario/agent", Began: began, Ended: began.Add(90 * time.Second), Nodes: 3, Order: []string{"node-1"}, Unavailable: 2, Limits: passive.Limits{Unavailable: 1},
		Took: []passive.Took{{Pod: "agent-a", Node: "node-1", Time: time.Second}, {Pod: "agent-b", Node: "node-2", Time: time.Second}, {Pod: "agent-c", Node: "node-3", Time: time.Minute}},
	}
	var out bytes.Buffer
	text, told := streams(true, &out, io.Discard)
	teller := newTeller(text, told, catalogue)
	teller.Recording()
	teller.Began(rollout)
	teller.Broken(h, violations, []string{first, second})
	teller.Broken(h, violations, []string{first, second})
	teller.Ended(rollout)
	teller.Note("events are missing")
	teller.summary(&passive.Result{Over: 1, Rollouts: []*passive.Rollout{rollout}, Violations: 2, Missed: []string{"events of Pod"}}, exitNotConformant)

	all := eventsIn(t, out.String())
	var kinds []reports.EventKind
	for _, event := range all {
		kinds = append(kinds, event.Event)
	}
	want := []reports.EventKind{
		reports.EventWatchBegan, reports.EventRolloutBegan, reports.EventBroken, reports.EventBroken, reports.EventRolloutEnded, reports.EventNote, reports.EventSummary,
	}
	if !slices.Equal(kinds, want) {
		t.Fatalf("got %s", out.String())
	}
	broken := all[2].Broken
	if broken.Requirement != "ROLLING-002" || broken.Workload != "scenario/agent" || broken.Node != "node-2" || broken.Times != 1 || broken.Again || broken.Got == "" {
		t.Errorf("got %+v", broken)
	}
	if !all[3].Broken.Again {
		t.Error("the second time is not said to be one")
	}
	if r := all[4].Rollout; r.Seconds != 90 || r.Unavailable != 2 || r.MaxUnavailable != 1 || len(r.Slow) != 1 || r.Slow[0].Pod != "agent-c" || r.Slow[0].Seconds != 60 {
		t.Errorf("got %+v", r)
	}
	if s := all[6].Summary; s.ExitCode != exitNotConformant || s.Watch.RolloutsOver != 1 || s.Watch.Broken["ROLLING-002"] != 2 || len(s.Watch.NotJudged) != 1 {
		t.Errorf("got %s", out.String())
	}
}
