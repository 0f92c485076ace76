package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

const diff = "diff --git a/impl/x.go b/impl/x.go\n--- a/impl/x.go\n+++ b/impl/x.go\n@@ -1 +1 @@\n-a\n+b\n"

func TestAPatchSaysWhatItBreaks(t *testing.T) {
	m, err := parseMutant("07-deletes-first", "Deletes the old pod\nfirst.\n\nBreaks: SURGE-001, SURGE-006\n\n"+diff)
	if err != nil {
		t.Fatal(err)
	}
	if m.says != "Deletes the old pod first." {
		t.Errorf("says %q", m.says)
	}
	if len(m.breaks) != 2 || m.breaks[0] != "SURGE-001" || m.breaks[1] != "SURGE-006" {
		t.Errorf("breaks %q", m.breaks)
	}
}

func TestAPatchThatIsNoMutantIsRefused(t *testing.T) {
	for _, wrong := range []struct{ why, name, text, complaint string }{
		{"no number", "deletes-first", "Words.\n\nBreaks: SURGE-001\n\n" + diff, "number"},
		{"no words", "01-x", "Breaks: SURGE-001\n\n" + diff, "what is broken"},
		{"no requirement", "01-x", "Words.\n\n" + diff, "Breaks:"},
		{"requirements twice", "01-x", "Words.\nBreaks: SURGE-001\nBreaks: SURGE-002\n" + diff, "more than one"},
		{"no diff", "01-x", "Words.\n\nBreaks: SURGE-001\n", "no diff"},
		{"a diff of the suite", "01-x", "Words.\n\nBreaks: SURGE-001\n\n" + strings.ReplaceAll(diff, "impl/", "suites/"), "suites/x.go"},
		{"a diff of a test", "01-x", "Words.\n\nBreaks: SURGE-001\n\n" + strings.ReplaceAll(diff, "x.go", "x_test.go"), "x_test.go"},
	} {
		t.Run(wrong.why, func(t *testing.T) {
			if _, err := parseMutant(wrong.name, wrong.text); err == nil || !strings.Contains(err.Error(), wrong.complaint) {
				t.Errorf("got %v, want an error about %q", err, wrong.complaint)
			}
		})
	}
}

// TestEveryPatchFitsTheReference tells whoever changes the reference which mutants have to be made anew.
func TestEveryPatchFitsTheReference(t *testing.T) {
	mutants, err := readMutants(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := unknown(catalogue, mutants); err != nil {
		t.Error(err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			// Only what the patch touches, away from the checkout's repository.
			tree := t.TempDir()
			for _, path := range m.changes {
				copyFile(t, filepath.Join("..", "..", path), filepath.Join(tree, path))
			}
			patch, err := filepath.Abs(m.patch)
			if err != nil {
				t.Fatal(err)
			}
			if err := apply(t.Context(), patch, tree, "--check"); err != nil {
				t.Error(err)
			}
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAMutantNumberIsUsedOnce(t *testing.T) {
	mutants, err := readMutants(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, m := range mutants {
		number, _, _ := strings.Cut(m.name, "-")
		if other := taken[number]; other != "" {
			t.Errorf("%s and %s have the same number", other, m.name)
		}
		taken[number] = m.name
	}
}

func TestAMutantIsKilledOnlyByAViolationOfWhatItBreaks(t *testing.T) {
	breaks := mutant{name: "01-x", breaks: []requirements.ID{"SURGE-001", "SURGE-006"}}
	failed := func(id, named requirements.ID) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: reports.Fail, Violations: []reports.Violation{{Requirement: named}}}
	}
	with := func(id requirements.ID, verdict reports.Verdict) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: verdict}
	}
	for _, row := range []struct {
		why     string
		results []reports.RequirementResult
		verdict string
		others  int
	}{
		{"both failed", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-006")}, "killed", 0},
		{"others failed too", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-006"), failed("SURGE-008", "SURGE-008"), with("SURGE-009", reports.Pass),
		}, "killed", 1},
		{"one passed", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.Pass)}, "SURVIVED (SURGE-006 pass)", 0},
		{"one was not run", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.NotRun)}, "SURVIVED (SURGE-006 not-run)", 0},
		{"one could not be decided", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.Inconclusive),
		}, "SURVIVED (SURGE-006 inconclusive)", 0},
		{"a failure without a violation that names it", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-001"),
		}, "SURVIVED (SURGE-006 inconclusive)", 0},
		{"only others failed", []reports.RequirementResult{failed("SURGE-008", "SURGE-008")}, "SURVIVED (SURGE-001 not-run, SURGE-006 not-run)", 1},
	} {
		t.Run(row.why, func(t *testing.T) {
			r := result{mutant: breaks, verdicts: map[requirements.ID]reports.Verdict{}}
			r.read(&reports.ConformanceReport{Requirements: row.results})
			if r.verdict() != row.verdict {
				t.Errorf("verdict %q, want %q", r.verdict(), row.verdict)
			}
			if len(r.others()) != row.others {
				t.Errorf("failed too: %q, want %d", r.others(), row.others)
			}
		})
	}
}

func TestAFailureInOneRunStandsAgainstAPassInAnother(t *testing.T) {
	r := result{mutant: mutant{breaks: []requirements.ID{"SURGE-006"}}, verdicts: map[requirements.ID]reports.Verdict{}}
	failure := reports.RequirementResult{Requirement: reports.Requirement{ID: "SURGE-006"}, Verdict: reports.Fail, Violations: []reports.Violation{{Requirement: "SURGE-006"}}}
	r.read(&reports.ConformanceReport{Requirements: []reports.RequirementResult{failure}})
	r.read(&reports.ConformanceReport{Requirements: []reports.RequirementResult{{Requirement: reports.Requirement{ID: "SURGE-006"}, Verdict: reports.Pass}}})
	if !r.killed() {
		t.Errorf("verdict %s, want killed", r.verdict())
	}
}

func TestTheExitCodeTellsSurvivorsFromWhatCouldNotBeTried(t *testing.T) {
	breaks := mutant{breaks: []requirements.ID{"SURGE-001"}}
	killed := result{mutant: breaks, verdicts: map[requirements.ID]reports.Verdict{"SURGE-001": reports.Fail}}
	survived, notTried := result{mutant: breaks}, result{mutant: breaks, failure: errors.New("does not compile")}
	for _, row := range []struct {
		results []result
		want    int
	}{
		{[]result{killed, killed}, trial.ExitProven},
		{[]result{killed, survived}, trial.ExitNotProven},
		{[]result{killed, notTried}, trial.ExitNotTried},
		{[]result{notTried, survived}, trial.ExitNotProven},
		{[]result{survived, notTried}, trial.ExitNotProven},
	} {
		if got := exitCode(row.results); got != row.want {
			t.Errorf("exit code %d, want %d", got, row.want)
		}
	}
}
