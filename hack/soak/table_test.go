package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// ran is a run of two requirements.
func ran(seed int64, race, firm reports.Verdict) sidebyside.Run {
	report := &reports.ConformanceReport{}
	report.Provenance.Seed = seed
	for i, verdict := range []reports.Verdict{race, firm} {
		id := []reports.ID{"RACE-001", "FIRM-001"}[i]
		result := reports.RequirementResult{Requirement: reports.Requirement{ID: id, Statement: "it is kept"}, Verdict: verdict}
		switch verdict {
		case reports.Fail:
			result.Violations = []reports.Violation{{Got: "two pods", Spec: "a spec", Recording: "recordings/race.jsonl"}}
		case reports.Inconclusive:
			result.Reason = "a standstill"
		}
		report.Requirements = append(report.Requirements, result)
	}
	return sidebyside.Run{Folder: "runs", Report: report}
}

func TestWhatDiffersIsToldWithSeedAndRecording(t *testing.T) {
	runs := []sidebyside.Run{ran(1, reports.Pass, reports.Fail), ran(2, reports.Fail, reports.Fail), ran(3, reports.Inconclusive, reports.Fail)}
	differing := compare(runs)
	var out strings.Builder
	if err := writeTable(&out, runs, differing); err != nil {
		t.Fatal(err)
	}
	want := `requirement  pass  fail  inconclusive  other
RACE-001     1     1     1             0

RACE-001 failed in 1 of 3, inconclusive in 1 of 3: it is kept
  runs, seed 2: fail: two pods
    in a spec
    ` + filepath.Join("runs", "recordings", "race.jsonl") + `
  runs, seed 3: inconclusive: a standstill

3 runs; requirements whose verdicts differ: 1
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if code := exitCode(differing, errors.New("one was not made")); code != trial.ExitNotProven {
		t.Errorf("exit code %d", code)
	}
}

func TestRunsThatAgreeAreAllRight(t *testing.T) {
	runs := []sidebyside.Run{ran(1, reports.Pass, reports.Fail), ran(2, reports.Pass, reports.Fail)}
	differing := compare(runs)
	var out strings.Builder
	if err := writeTable(&out, runs, differing); err != nil {
		t.Fatal(err)
	}
	if want := "2 runs; requirements whose verdicts differ: 0\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
	if code := exitCode(differing, nil); code != trial.ExitProven {
		t.Errorf("exit code %d", code)
	}
	if code := exitCode(differing, errors.New("one was not made")); code != trial.ExitNotTried {
		t.Errorf("exit code %d", code)
	}
}
