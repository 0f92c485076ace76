package reports_test

import (
	"fmt"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestWhyNamesTheRequirementsBehindTheAnswer(t *testing.T) {
	t.Parallel()
	type verdicts = map[int]reports.Verdict
	scattered := verdicts{}
	for i := range 9 {
		scattered[2*i] = reports.Fail
	}
	for name, test := range map[string]struct {
		verdicts verdicts
		want     string
	}{
		"a run of failures":            {verdicts{0: "fail", 1: "fail", 2: "fail", 3: "pass"}, "3 requirements failed: API-000..002"},
		"a failure and a doubt":        {verdicts{0: "fail", 2: "inconclusive"}, "1 requirement failed: API-000; 1 inconclusive: API-002"},
		"a doubt":                      {verdicts{0: "pass", 2: "inconclusive"}, "none failed; 1 inconclusive: API-002"},
		"more than one line can name":  {scattered, "9 requirements failed: API-000, API-002, API-004, API-006, API-008, API-010, API-012, API-014, and others"},
		"what passed needs no name":    {verdicts{0: "pass"}, "every requirement that was decided passed"},
		"what was not run has no name": {verdicts{0: "fail", 1: "not run"}, "1 requirement failed: API-000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var report reports.ConformanceReport
			for i := range 20 {
				if verdict, given := test.verdicts[i]; given {
					id := reports.ID(fmt.Sprintf("API-%03d", i))
					report.Requirements = append(report.Requirements, reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: verdict})
				}
			}
			if got := reports.Why(&report); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWhyCountsWhatKubernetesItselfBreaks(t *testing.T) {
	t.Parallel()
	byKubernetes := reports.RequirementResult{
		Requirement: reports.Requirement{ID: "EVICT-001", Kubernetes: reports.Kubernetes{By: reports.APIServer, Behaviour: reports.Differs}}, Verdict: reports.Fail,
	}
	for want, verdict := range map[string]reports.Verdict{
		"1 requirement failed: API-001; Kubernetes itself breaks 1 more":                    reports.Fail,
		"every requirement that was decided passed but for 1 that Kubernetes itself breaks": reports.Pass,
	} {
		own := reports.RequirementResult{Requirement: reports.Requirement{ID: "API-001"}, Verdict: verdict}
		if got := reports.Why(&reports.ConformanceReport{Requirements: []reports.RequirementResult{own, byKubernetes}}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhyEndsBeforeWhatTheFailureQuotes(t *testing.T) {
	t.Parallel()
	report := reports.ConformanceReport{Provenance: reports.Provenance{ImplementationFailure: "go build ./cmd/mine: exit status 1:\n    main.go:3:15: undefined: name"}}
	if got, want := reports.Why(&report), "no requirement was decided; the implementation failed: go build ./cmd/mine: exit status 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
