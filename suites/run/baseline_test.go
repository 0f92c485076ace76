package run

import (
	"io"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestABaselineExcusesNothingThatCutTheRunShort(t *testing.T) {
	baseline := &reports.ConformanceReport{Requirements: []reports.RequirementResult{{Requirement: reports.Requirement{ID: "SURGE-001"}, Verdict: reports.Fail}, {Requirement: reports.Requirement{ID: "SURGE-002"}, Verdict: reports.Pass}}}
	for name, row := range map[string]struct {
		provenance reports.Provenance
		verdict    reports.Verdict
		want       int
	}{
		"nothing is worse":            {reports.Provenance{}, reports.Pass, exitConformant},
		"something is worse":          {reports.Provenance{ImplementationFailure: "exit status 3"}, reports.Fail, exitNotConformant},
		"the implementation ended":    {reports.Provenance{ImplementationFailure: "exit status 3"}, reports.Pass, reports.ExitImplementation},
		"somebody interrupted it":     {reports.Provenance{Interrupted: true}, reports.NotRun, exitHarness},
		"it stopped after a failure":  {reports.Provenance{EndedEarly: "stopped after 1 failed (-stop-after)"}, reports.NotRun, exitHarness},
		"the harness failed":          {reports.Provenance{HarnessFailure: "no etcd"}, reports.NotRun, exitHarness},
		"both failed, and it is told": {reports.Provenance{ImplementationFailure: "exit status 3", HarnessFailure: "no etcd"}, reports.NotRun, reports.ExitImplementation},
	} {
		report := &reports.ConformanceReport{Provenance: row.provenance, Requirements: []reports.RequirementResult{
			{Requirement: reports.Requirement{ID: "SURGE-001"}, Verdict: reports.Fail}, {Requirement: reports.Requirement{ID: "SURGE-002"}, Verdict: row.verdict},
		}}
		if got := compareWithBaseline(io.Discard, nil, "before", baseline, report); got != row.want {
			t.Errorf("%s: exit code %d, want %d", name, got, row.want)
		}
	}
}
