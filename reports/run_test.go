package reports_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// exampleRun has every verdict, a family of which nothing ran, a requirement decided by two specs, and a failure with its evidence.
func exampleRun() reports.Run {
	started := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	leading, elsewhere := violationAt(120, "node-1", started), violationAt(230, "node-2", started)
	leading.More = []reports.Further{{Node: "node-1", ResourceVersion: 130}, {Node: "node-2", ResourceVersion: 140}, {Node: "node-3", ResourceVersion: 150}}
	elsewhere.Recording = "recordings/surges-twice.jsonl"
	return reports.Run{
		Implementation: reports.Implementation{
			Name: "some-controller", Organization: "Example", Project: "daemons", URL: "https://example.org", Version: "v1.2.3",
			Contact: []string{"@somebody"}, Features: []reports.Feature{"Surge", "InPlaceUpdate"},
			KnownDeviations: []reports.KnownDeviation{{Requirement: "SURGE-009", Issue: "https://example.org/issues/7"}},
		},
		Provenance: reports.Provenance{
			Rollcall: reports.Rollcall{Version: "v0.1.0", Commit: "abc"}, Catalogue: reports.Catalogue{Digest: "sha256:00"},
			KubernetesVersion: "v1.37.0", Provider: "embedded", Authors: "audit log", NodeKinds: []string{"simulated"},
			Seed: 42, Started: started, Duration: 192 * time.Second, Parallelism: 4,
			RelaxedTimeouts: []reports.RelaxedTimeout{{Name: "settle", Default: 30 * time.Second, Used: time.Minute}},
		},
		Catalogue: []reports.Requirement{
			{ID: "SURGE-002", Title: "maxSurge bounds surging nodes", Level: reports.LevelCore, Feature: "Surge", Sources: []reports.Source{"S0 L69-70"}, Decision: "The limit binds what is created.",
				Kubernetes: reports.Kubernetes{Behaviour: reports.Partially, Note: "Counts duplicates too."}, Statement: "no more nodes than maxSurge run an extra pod"},
			{ID: "SURGE-009", Level: reports.LevelCore, Feature: "Surge", Statement: "a node runs at most two pods of a DaemonSet"},
			{ID: "SURGE-010", Level: reports.LevelExtended, Feature: "Surge", Statement: "a surge leaves bystanders alone"},
			{ID: "API-001", Level: reports.LevelCore, Statement: "maxSurge takes a number or a percentage"},
			{ID: "HOSTPORT-001", Level: reports.LevelExtended, Feature: "HostPortRejection", Statement: "host ports with maxSurge are refused"},
			{ID: "PDB-001", Level: reports.LevelCore, Statement: "a budget is never overdrawn"},
			{ID: "PDB-002", Level: reports.LevelCore, Statement: "an eviction says why it was refused"},
			{ID: "PDB-003", Level: reports.LevelReference, Statement: "a budget is exported as a metric"},
		},
		Outcomes: []reports.Outcome{
			{Requirement: "SURGE-002", Spec: "surges by percentage", Verdict: reports.Pass, Duration: 3 * time.Second},
			{Requirement: "SURGE-002", Spec: "surges by number", Verdict: reports.Pass, Duration: 2 * time.Second},
			{Requirement: "SURGE-009", Spec: "surges over a failed pod", Verdict: reports.Fail, Duration: 1500 * time.Millisecond, Violations: []reports.Violation{
				elsewhere, leading,
			}},
			{Requirement: "SURGE-009", Spec: "surges by number", Verdict: reports.Pass, Duration: time.Second},
			{Requirement: "SURGE-010", Spec: "surges beside others", Verdict: reports.Inconclusive, Reason: "the watch on pods lost events"},
			{Requirement: "API-001", Spec: "takes percentages", Verdict: reports.Pass, Duration: 20 * time.Millisecond},
			{Requirement: "HOSTPORT-001", Spec: "refuses host ports", Verdict: reports.Unsupported, Reason: "HostPortRejection is not claimed"},
			{Requirement: "PDB-003", Spec: "exports a metric", Verdict: reports.NotRun, Reason: "not selected by the focus"},
		},
		Observations: []reports.Observation{
			{Requirement: "API-001", Spec: "takes percentages", Text: "150% is accepted as well"},
			{Text: "the API server was slow"},
		},
		Situations: map[reports.ID][]string{
			"SURGE-002": {"with a percentage", "after a roll-back", "on a cordoned node"}, "PDB-003": {"while a pod is terminating"},
		},
		Sightings: []reports.Sighting{
			{Requirement: "SURGE-002", Situations: []string{"on a cordoned node"}}, {Requirement: "SURGE-002", Situations: []string{"with a percentage", "on a cordoned node"}},
		},
	}
}

func violationAt(resourceVersion uint64, node string, at time.Time) reports.Violation {
	return reports.Violation{
		Requirement: "SURGE-009", Promise: "at most two pods of a DaemonSet on a node", Spec: "surges over a failed pod", Node: node,
		ResourceVersion: resourceVersion, Time: at.Add(12500 * time.Millisecond), Got: "3 pods", Before: "old and failed", After: "old, failed and new",
		Recording: "recordings/surges-over-a-failed-pod.jsonl",
		Window: []reports.WindowEvent{
			{ResourceVersion: resourceVersion - 10, Offset: -250 * time.Millisecond, Node: node, Event: "pod agent-a failed"},
			{ResourceVersion: resourceVersion, Node: node, Event: "pod agent-b was created", Broke: true},
		},
		Picture: &picture.Picture{
			Steps: []time.Duration{-250 * time.Millisecond, 0}, Moment: 1,
			Nodes: []picture.Node{{Name: node, Lanes: []picture.Lane{
				{Pod: "agent-a", Revision: "old", Life: "ee"}, {Pod: "agent-b", Revision: "updated", Number: 2, Life: "_p"},
			}}},
			Marks: []picture.Mark{{Step: -1, At: -2 * time.Second, Text: "rollcall: update template"}},
		},
	}
}

func assemble(t *testing.T, run reports.Run) *reports.ConformanceReport {
	t.Helper()
	report, err := reports.Assemble(run)
	if err != nil {
		t.Fatalf("assemble the report: %v", err)
	}
	return report
}
