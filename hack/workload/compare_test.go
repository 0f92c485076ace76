package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestWhatTheReferencePassesIsReadFromTheGoldenVerdicts(t *testing.T) {
	got := passed(`kube-controller-manager/a SURGE-001 pass
reference-on-kind/a SURGE-002 pass
reference/a SURGE-003 pass
reference/b SURGE-003 pass
  at 5 on "n": pass
reference/a SURGE-004 inconclusive: it did not pass
reference/b SURGE-004 pass
reference/c SURGE-004 pass
`)
	if want := []requirements.ID{"SURGE-003"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestEveryRequirementOfTheReferencesHasToHoldUnlessItIsAboutDaemonSets(t *testing.T) {
	want := []requirements.ID{"A-1", "A-2"}
	result := func(id requirements.ID, verdict reports.Verdict, reason string) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: verdict, Reason: reason}
	}
	const foreign = "the implementation reconciles x.test/v1 X"
	for name, tt := range map[string]struct {
		workload string
		results  []reports.RequirementResult
		problem  string
	}{
		"all hold":                 {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("A-2", reports.Pass, "")}, ""},
		"one is about DaemonSets":  {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("A-2", reports.NotRun, foreign)}, ""},
		"one is not claimed":       {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("A-2", reports.Unsupported, "")}, ""},
		"all are about DaemonSets": {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.NotRun, foreign)}, "was decided"},
		"another is not run":       {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("B-1", reports.NotRun, "")}, ""},
		"one is not run":           {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("A-2", reports.NotRun, "")}, "A-2"},
		"another is broken":        {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("B-1", reports.Fail, "")}, "B-1"},
		"one is inconclusive":      {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("A-2", reports.Inconclusive, "")}, "A-2"},
		"another is inconclusive":  {"x.test/v1 X", []reports.RequirementResult{result("A-1", reports.Pass, ""), result("B-1", reports.Inconclusive, "")}, ""},
		"DaemonSets were tested":   {"", []reports.RequirementResult{result("A-1", reports.Pass, "")}, "about DaemonSets"},
	} {
		report := &reports.ConformanceReport{Implementation: reports.Implementation{Workload: tt.workload}, Requirements: tt.results}
		problems, _ := compare(want, report)
		if got := strings.Join(problems, "\n"); (got == "") != (tt.problem == "") || !strings.Contains(got, tt.problem) {
			t.Errorf("%s: %q, want %q", name, got, tt.problem)
		}
	}
}
