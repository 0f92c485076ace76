package run

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/schematest"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// eventsIn reads lines of events, each of which must be as the schema has it.
func eventsIn(t *testing.T, text string) []reports.Event {
	t.Helper()
	var all []reports.Event
	for line := range strings.Lines(text) {
		if err := schematest.Check("events", []byte(line)); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		var event reports.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		all = append(all, event)
	}
	return all
}

// brokenRecording is a recording in which SURGE-006 is broken.
func brokenRecording(t *testing.T, folder string) string {
	t.Helper()
	h := broken(t)
	h.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
	var text bytes.Buffer
	if err := h.Write(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "broken.jsonl")
	write(t, path, text.String())
	return path
}

func TestJudgingTellsItsEvents(t *testing.T) {
	path := brokenRecording(t, t.TempDir())
	var out bytes.Buffer
	code, err := dispatch(context.Background(), "judge", []string{"-json", path}, &out)
	if err != nil || code != exitNotConformant {
		t.Fatalf("exit code %d, %v", code, err)
	}
	all := eventsIn(t, out.String())
	if len(all) != 2 || all[0].Event != reports.EventSpecEnded || all[0].Recording != path || all[0].Verdict != reports.Fail {
		t.Fatalf("got %s", out.String())
	}
	i := slices.IndexFunc(all[0].Requirements, func(v reports.EventVerdict) bool { return v.Requirement == "SURGE-006" })
	if i < 0 {
		t.Fatalf("nothing is told of SURGE-006: %s", out.String())
	}
	found := all[0].Requirements[i]
	if found.Verdict != reports.Fail || len(found.Violations) != 1 || found.Violations[0].Node != "node-1" {
		t.Errorf("got %+v", found)
	}
	if last := all[1].Summary; last == nil || last.ExitCode != code || last.Answer != reports.NotConformant || last.Statistics.Failed == 0 {
		t.Errorf("got %s", out.String())
	}
}

func TestAFolderIsJudgedInASummaryAndANamedRecordingWithItsStories(t *testing.T) {
	folder := t.TempDir()
	path := brokenRecording(t, folder)
	const story, line = "SURGE-006 broken on node node-1", "the implementation is not conformant: "
	for name, row := range map[string]struct {
		args           []string
		story, summary bool
	}{
		"a recording":      {[]string{path}, true, false},
		"a folder":         {[]string{folder}, false, true},
		"a folder with -v": {[]string{"-v", folder}, true, true},
		"both":             {[]string{path, folder}, true, true},
	} {
		var out bytes.Buffer
		code, err := dispatch(context.Background(), "judge", row.args, &out)
		if err != nil || code != exitNotConformant {
			t.Errorf("%s: exit code %d, %v", name, code, err)
		}
		if got := strings.Contains(out.String(), story); got != row.story {
			t.Errorf("%s: a story is told: %v\n%s", name, got, out.String())
		}
		if got := strings.Contains(out.String(), line); got != row.summary {
			t.Errorf("%s: it is summed up: %v\n%s", name, got, out.String())
		}
	}
}

func TestSomeRecordingsThatPassAreNoConformantRun(t *testing.T) {
	folder := t.TempDir()
	h := lawful(t)
	h.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
	var text, out bytes.Buffer
	if err := h.Write(&text); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "lawful.jsonl"), text.String())
	if _, err := dispatch(context.Background(), "judge", []string{folder}, &out); err != nil || strings.Contains(out.String(), "is conformant") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

func TestComparingTellsItsEvents(t *testing.T) {
	old, now := t.TempDir(), t.TempDir()
	for folder, verdict := range map[string]reports.Verdict{old: reports.Pass, now: reports.Inconclusive} {
		report, err := reports.Assemble(reports.Run{
			Catalogue: []reports.Requirement{{ID: "SURGE-001", Level: reports.LevelCore, Statement: "x"}},
			Outcomes:  []reports.Outcome{{Requirement: "SURGE-001", Spec: "x", Verdict: verdict, Reason: "y"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := reports.WriteYAML(&text, report); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, reports.YAMLFile), text.String())
	}
	var out bytes.Buffer
	code, err := dispatch(context.Background(), "diff", []string{"-json", old, now}, &out)
	all := eventsIn(t, out.String())
	if err != nil || code != exitNotConformant || len(all) != 2 || all[0].Change == nil || !all[0].Change.Worse || all[1].Summary.ExitCode != code {
		t.Errorf("exit code %d, %v:\n%s", code, err, out.String())
	}
}

func TestARunTellsWhatSpecsTell(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &console{out: io.Discard}, events: &events{out: &out}, verdicts: map[reports.Verdict]int{}, stories: map[reports.ID]int{}}
	p.take(spec.Progress{Spec: "one"})
	p.take(ended("one", reports.Inconclusive))
	p.quiet = true
	p.take(ended("two", reports.Pass))
	all := eventsIn(t, out.String())
	if len(all) != 2 || all[0].Event != reports.EventSpecBegan || all[1].Verdict != reports.Inconclusive || all[1].Seconds != 1.5 || all[1].Requirements[0].Reason == "" {
		t.Errorf("got %s", out.String())
	}
}

// TestEveryReportIsAsTheSchemaSays: also one that judging makes of a run that was killed.
func TestEveryReportIsAsTheSchemaSays(t *testing.T) {
	folder := wholeRun(t, nil)
	brokenRecording(t, filepath.Join(folder, recordingsFolder))
	for _, remove := range []bool{false, true} {
		if remove {
			if err := os.Remove(filepath.Join(folder, reports.YAMLFile)); err != nil {
				t.Fatal(err)
			}
			if err := reports.Mark(folder); err != nil {
				t.Fatal(err)
			}
			if code, err := dispatch(context.Background(), "judge", []string{folder}, &bytes.Buffer{}); err != nil || code != exitNotConformant {
				t.Fatalf("exit code %d, %v", code, err)
			}
		}
		text, err := os.ReadFile(filepath.Join(folder, reports.YAMLFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Check("report", text); err != nil {
			t.Error(err)
		}
	}
}

// TestTheImplementationsSchemaAcceptsWhatIsShipped, and so does every editor.
func TestTheImplementationsSchemaAcceptsWhatIsShipped(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/implementations/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Check("implementation", text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestWhatNobodySelectedIsNoDifference: recordings say what is not claimed, and not what was selected.
func TestWhatNobodySelectedIsNoDifference(t *testing.T) {
	row := func(verdict reports.Verdict, reason string) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: "EVICT-001"}, Verdict: verdict, Reason: reason}
	}
	for name, c := range map[string]struct{ before, again, want reports.RequirementResult }{
		"not selected":                 {row(reports.NotRun, reports.NotSelected), row(reports.Unsupported, "x"), row(reports.NotRun, reports.NotSelected)},
		"not in the sample":            {row(reports.NotRun, reports.NotSampled), row(reports.Unsupported, "x"), row(reports.NotRun, reports.NotSampled)},
		"not possible":                 {row(reports.NotRun, "no kubelets"), row(reports.NotRun, reports.NotSelected), row(reports.NotRun, "no kubelets")},
		"not possible and not claimed": {row(reports.NotRun, "no kubelets"), row(reports.Unsupported, "x"), row(reports.Unsupported, "x")},
		"failed":                       {row(reports.NotRun, reports.NotSelected), row(reports.Fail, "x"), row(reports.Fail, "x")},
		"passed before":                {row(reports.Pass, ""), row(reports.Unsupported, "x"), row(reports.Unsupported, "x")},
	} {
		again := &reports.ConformanceReport{Requirements: []reports.RequirementResult{c.again}}
		takeReasons(again, &reports.ConformanceReport{Requirements: []reports.RequirementResult{c.before}})
		if got := again.Requirements[0]; got.Verdict != c.want.Verdict || got.Reason != c.want.Reason {
			t.Errorf("%s: got %s %s", name, got.Verdict, got.Reason)
		}
	}
}
