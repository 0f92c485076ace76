package html_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/html"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

const recording = "recordings/surge-002-1.jsonl"

// lives is a picture with everything that one can have.
func lives() *picture.Picture {
	return &picture.Picture{
		Steps:  []time.Duration{-20 * time.Second, -19900 * time.Millisecond, -250 * time.Millisecond, 0, 30 * time.Millisecond, 9 * time.Second},
		Moment: 3,
		Nodes: []picture.Node{{Name: "node-1", Older: 2, Lanes: []picture.Lane{
			{Pod: "agent-a", Revision: "old", Number: 1, Life: "AAAttt"}, {Pod: "agent-b", Revision: "updated", Version: "v2", Number: 12, Life: "_prRAe"},
		}}, {Name: "node-2"}},
		Marks: []picture.Mark{{Step: -1, At: -30 * time.Second, Text: "earlier"}, {Step: 2, At: -250 * time.Millisecond, Text: "rollcall: evict pod agent-a"}},
	}
}

// guard is a budget, of which a pod was evicted.
func guard() picture.Budget {
	return picture.Budget{Name: "guard", Limit: "minAvailable 2", Instants: []picture.Instant{
		{At: -20 * time.Second, Healthy: 3, Reported: 3, Desired: 2, Allowed: 1},
		{At: -250 * time.Millisecond, Healthy: 2, Reported: 3, Desired: 2, Allowed: 0, Eviction: picture.Accepted, Pod: "agent-a"},
		{Healthy: 2, Reported: 2, Desired: 2, Broke: true},
	}}
}

// run has a requirement of every verdict, one of which two specs broke, and a family that nothing was selected of.
func run() reports.Run {
	broken := reports.Violation{
		Requirement: "SURGE-002", Promise: "never more than maxSurge", Spec: "surges by number", Node: "node-1", ResourceVersion: 120, Into: 20 * time.Second,
		Time: time.Date(2026, 11, 22, 7, 0, 20, 0, time.UTC), Got: "three surge pods, want at most two", Before: "two", After: "three",
		AlsoBreaks: []reports.ID{"SURGE-003"}, Picture: lives(), Budgets: []picture.Budget{guard()}, Log: []reports.LogLine{{Text: "I0001 syncing"}}, Recording: recording,
		Window: []reports.WindowEvent{
			{ResourceVersion: 118, Offset: -250 * time.Millisecond, Node: "node-1", Event: "pod agent-b (updated) on node-1 started running"},
			{ResourceVersion: 120, Node: "node-1", Event: "pod agent-b (updated) on node-1 became Ready", Broke: true},
		},
		More: []reports.Further{{Node: "node-2", ResourceVersion: 130}},
	}
	run := reports.Run{
		Implementation: reports.Implementation{Name: "some-controller", Version: "v1.2.3", URL: "https://example.org/some-controller", Features: []reports.Feature{"Surge"},
			KnownDeviations: []reports.KnownDeviation{{Requirement: "SURGE-002", Issue: "https://example.org/issues/7"}}},
		Provenance: reports.Provenance{Provider: "embedded", KubernetesVersion: "v1.37.0", NodeKinds: []string{"simulated"}, Started: time.Unix(1795330000, 0), Duration: 5 * time.Minute},
		Catalogue: []reports.Requirement{
			{ID: "SURGE-001", Title: "begins with a surge pod", Level: reports.LevelCore, Feature: "Surge", Statement: "It surges.", Sources: []reports.Source{"S0 L47", "S0 L49-51"}},
			{ID: "SURGE-002", Title: "stays below maxSurge", Level: reports.LevelCore, Feature: "Surge", Statement: "At most maxSurge nodes have two pods.",
				Decision: "Percentages are rounded up, see https://example.org/kep-1591.", Kubernetes: reports.Kubernetes{Behaviour: reports.Conforms}},
			{ID: "SURGE-003", Title: "keeps the old pod", Level: reports.LevelExtended, Feature: "Surge", Statement: "The old pod stays."},
			{ID: "PDB-001", Title: "allows disruptions", Level: reports.LevelCore, Feature: "Budget", Statement: "It allows what is allowed."},
			{ID: "PDB-002", Title: "is prompt", Level: reports.LevelCore, Statement: "It is prompt."},
		},
		Outcomes: []reports.Outcome{
			{Requirement: "SURGE-001", Spec: "surges by number", Verdict: reports.Pass, Duration: 2 * time.Second},
			{Requirement: "SURGE-002", Spec: "surges by number", Verdict: reports.Fail, Duration: 2 * time.Second, Violations: []reports.Violation{broken}},
			{Requirement: "SURGE-003", Spec: "surges by number", Verdict: reports.Fail, Violations: []reports.Violation{
				{Requirement: "SURGE-003", Promise: "keeps it", ResourceVersion: 120, Got: "none", SameEventAs: "SURGE-002", Recording: recording}}},
			{Requirement: "PDB-001", Spec: "evicts", Verdict: reports.Inconclusive, Reason: "an assumption was not met: no pod became Ready"},
			{Requirement: "PDB-002", Verdict: reports.Unsupported, Reason: "not claimed"},
		},
		Observations:  []reports.Observation{{Spec: "evicts", Text: "it was slow"}},
		Circumstances: []reports.Circumstances{{Spec: "evicts", Log: []string{"panic: no"}}},
		Measurements: []reports.Measurement{{
			Spec: "surges by number", Recording: recording, Node: "node-1", Target: "tcp:127.0.0.1:20001", During: "surge", Lasted: 10 * time.Second, Sent: 2000, Failed: 3,
			LongestSilence: 240 * time.Millisecond, SilenceAt: 4 * time.Second,
			Answers: []reports.Answers{{Pod: "agent-a", Version: "v1", Count: 900, Last: 4 * time.Second},
				{Pod: "agent-b", Version: "v2", Count: 1097, First: 4240 * time.Millisecond, Last: 10 * time.Second}},
			FirstFailures: []reports.FailedRequest{{At: 4100 * time.Millisecond, Error: "connection refused"}},
		}},
	}
	for i := range 30 {
		run.Catalogue = append(run.Catalogue, reports.Requirement{ID: reports.ID(fmt.Sprintf("DRAIN-%03d", i+1)), Title: fmt.Sprintf("drains %d", i), Level: reports.LevelCore, Statement: "It drains."})
	}
	return run
}

func assemble(t *testing.T, run reports.Run) *reports.ConformanceReport {
	t.Helper()
	report, err := reports.Assemble(run)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func pageOf(t *testing.T, run reports.Run) string {
	t.Helper()
	var page bytes.Buffer
	if err := html.Write(&page, assemble(t, run)); err != nil {
		t.Fatal(err)
	}
	return page.String()
}
