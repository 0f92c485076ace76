package story_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
)

// FuzzRecording judges, tells and draws whatever reads as a recording, such as one that somebody sent. Of one that is damaged, or does not say that it is complete,
// no promise holds.
//
// What it changes is mostly in recordings without a chain: in others reading would stop at the change.
func FuzzRecording(f *testing.F) {
	for _, h := range []*history.History{historytest.SurgeRollout(f, 1), broken(f)} {
		for _, version := range []string{history.FormatVersion, history.Unchained} {
			h.Version = version
			var out bytes.Buffer
			if err := h.Write(&out); err != nil {
				f.Fatal(err)
			}
			f.Add(out.Bytes())
			f.Add(out.Bytes()[:out.Len()*2/3])
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { judgeAndTell(t, text) })
}

// judgeAndTell does with a recording what `rollcall judge` and `rollcall show` do.
func judgeAndTell(t *testing.T, text []byte) {
	t.Helper()
	h, err := history.Read(bytes.NewReader(text))
	if err != nil {
		return
	}
	verdicts := judge.Run(h, rules.All())
	for _, verdict := range verdicts {
		if (h.Damage != "" || !h.CaughtUp) && verdict.Outcome == judge.Holds {
			t.Errorf("%s holds, caught up: %t, damage: %q", verdict.Requirement, h.CaughtUp, h.Damage)
		}
	}
	for _, violation := range story.Findings(h, verdicts.Violations(), story.Options{}) {
		if reports.Story(reports.Requirement{ID: "X-001"}, violation, reports.StoryOptions{}) == "" {
			t.Errorf("nothing is told of %s", violation.Requirement)
		}
	}
	if shown, err := story.Show(h, story.Part{}); err == nil {
		_ = shown.Text(true)
		if err := shown.WriteTrace(&strings.Builder{}); err != nil {
			t.Error(err)
		}
	}
}

// broken is a short history in which much is, and a little of everything that a recording holds.
func broken(t testing.TB) *history.History {
	b := historytest.New(t).Nodes(1)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"))
	old := agent.Pod("old", "node-1").Ready()
	guard := b.Budget("guard", "agent", historytest.MinAvailable("1"))
	agent.Update("v2").Revision("v2", 2)
	b.Stimulus(history.EvictPod, old).Refused()
	b.Waits(2*time.Second, time.Second)
	old.Terminating()
	guard.Disrupts(old)
	b.Standstill(2 * time.Second)
	old.Gone()
	agent.Counts(1, 1, 1, 1, 1)
	return b.Mark("over").End(history.Ending{}).History()
}

// TestNoValueInARecordingStopsAJudge has every value in a recording be another, one at a time: it is refused, or judged.
func TestNoValueInARecordingStopsAJudge(t *testing.T) {
	h := broken(t)
	h.Version = history.Unchained
	var out bytes.Buffer
	if err := h.Write(&out); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	tried := 0
	for i, line := range lines {
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var root any
		if err := decoder.Decode(&root); err != nil {
			t.Fatal(err)
		}
		eachOther(root, func(other any) { root = other }, func() {
			changed, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			judgeAndTell(t, bytes.Join(slices.Replace(slices.Clone(lines), i, i+1, changed), []byte("\n")))
			tried++
		})
	}
	if tried < 1000 {
		t.Errorf("only %d values were tried", tried)
	}
}

// eachOther puts other values in the place of a value, and of each that it holds, and calls do each time.
func eachOther(value any, set func(any), do func()) {
	for _, other := range []any{nil, map[string]any{}, []any{}, "", json.Number("-1")} {
		set(other)
		do()
	}
	set(value)
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			eachOther(inner, func(other any) { value[key] = other }, do)
		}
	case []any:
		for i, inner := range value {
			eachOther(inner, func(other any) { value[i] = other }, do)
		}
	}
}
