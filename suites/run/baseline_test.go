package run

import (
	"bytes"
	"io"
	"strings"
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

func TestABaselineOfSomethingElseIsNoted(t *testing.T) {
	of := func(name, version, kubernetes string) *reports.ConformanceReport {
		return &reports.ConformanceReport{
			Implementation: reports.Implementation{Name: name, Version: version},
			Provenance:     reports.Provenance{KubernetesVersion: kubernetes, Provider: "embedded"},
		}
	}
	for name, row := range map[string]struct {
		baseline *reports.ConformanceReport
		note     string
	}{
		"an older version":       {of("mine", "v1", "v1.37.0"), ""},
		"another implementation": {of("yours", "v2", "v1.37.0"), "before.yaml is of yours, Kubernetes v1.37.0, provider embedded; this is mine, Kubernetes"},
		"on another Kubernetes":  {of("mine", "v2", "v1.36.3"), "before.yaml is of mine, Kubernetes v1.36.3"},
	} {
		var out bytes.Buffer
		compareWithBaseline(&out, nil, "before.yaml", row.baseline, of("mine", "v2", "v1.37.0"))
		said := strings.Join(strings.Fields(out.String()), " ")
		if row.note == "" && strings.Contains(said, "note") || !strings.Contains(said, row.note) || !strings.Contains(said, "nothing differs") {
			t.Errorf("%s: want %q in:\n%s", name, row.note, out.String())
		}
	}
}
