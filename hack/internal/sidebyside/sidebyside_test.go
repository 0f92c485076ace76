package sidebyside

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func run(folder string, verdicts ...reports.Verdict) Run {
	report := &reports.ConformanceReport{APIVersion: reports.APIVersion, Kind: reports.Kind}
	statistics := &report.Statistics
	report.Implementation.Name, report.Provenance.Catalogue.Digest = "mine", "sha256:1"
	for i, verdict := range verdicts {
		result := reports.RequirementResult{Requirement: reports.Requirement{ID: reports.ID("A-00" + string(rune('1'+i)))}, Verdict: verdict}
		switch verdict {
		case reports.Fail:
			statistics.Failed++
			result.Violations = []reports.Violation{{Requirement: result.ID, Recording: "recordings/a.jsonl"}}
		case reports.Pass:
			statistics.Passed++
		default:
			result.Reason = string(verdict) + " in " + folder
		}
		report.Requirements = append(report.Requirements, result)
	}
	return Run{Folder: folder, Report: report}
}

func TestRowsHaveACellForEachColumn(t *testing.T) {
	rows := Rows([]Column{
		{Name: "one", Runs: []Run{run("one", reports.Pass, reports.Pass)}},
		{Name: "two", Runs: []Run{run("two", reports.Pass, reports.Fail, reports.NotRun)}},
	})
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3", len(rows))
	}
	if !rows[0].Alike() || rows[1].Alike() || !rows[2].Alike() {
		t.Errorf("alike: %t %t %t, want true, false, true: a run that does not have a requirement did not run it", rows[0].Alike(), rows[1].Alike(), rows[2].Alike())
	}
	failed := rows[1].Cells[1]
	if rows[1].Count(reports.Fail) != 1 || failed.Violations[0].Recording != filepath.Join("two", "recordings", "a.jsonl") {
		t.Errorf("got %+v", failed)
	}
}

func TestRunsOfOneColumnAreParts(t *testing.T) {
	rows := Rows([]Column{{Name: "v1", Runs: []Run{
		run("a", reports.Pass, reports.NotRun, reports.NotRun, reports.Inconclusive),
		run("b", reports.NotRun, reports.Fail, reports.NotRun, reports.Pass),
	}}})
	for i, want := range []Cell{
		{Verdict: reports.Pass}, {Verdict: reports.Fail}, {Verdict: reports.NotRun, Reason: "not run in a"}, {Verdict: reports.Inconclusive, Reason: "inconclusive in a"},
	} {
		if got := rows[i].Cells[0]; got.Verdict != want.Verdict || got.Reason != want.Reason {
			t.Errorf("%s: %s for %q, want %s for %q", rows[i].Requirement.ID, got.Verdict, got.Reason, want.Verdict, want.Reason)
		}
	}
}

func TestOnlyRunsOfOneImplementationAndCatalogueAreCompared(t *testing.T) {
	other, later := run("b"), run("c")
	other.Report.Implementation.Name = "other"
	later.Report.Provenance.Catalogue.Digest = "sha256:2"
	for _, test := range []struct {
		run  Run
		says string
	}{{run("d"), ""}, {other, "b of other"}, {later, "different catalogues"}} {
		err := Comparable([]Run{run("a"), test.run})
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
}

func TestARunThatWasCutShortIsNotRead(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(p *reports.Provenance)
		says string
	}{
		"whole":       {func(*reports.Provenance) {}, ""},
		"interrupted": {func(p *reports.Provenance) { p.Interrupted = true }, "interrupted"},
		"ended early": {func(p *reports.Provenance) { p.EndedEarly = "5 specs undecided" }, "5 specs undecided"},
		"failure":     {func(p *reports.Provenance) { p.HarnessFailure = "no etcd" }, "no etcd"},
	} {
		folder := t.TempDir()
		report := run(folder, reports.Pass).Report
		test.edit(&report.Provenance)
		var text bytes.Buffer
		if err := reports.WriteYAML(&text, report); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, reports.YAMLFile), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(folder)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}
