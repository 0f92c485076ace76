package reports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func annotations(t *testing.T, outcomes ...reports.Outcome) []string {
	t.Helper()
	run := exampleRun()
	run.Implementation.KnownDeviations = nil
	run.Catalogue, run.Outcomes = nil, outcomes
	for _, outcome := range outcomes {
		requirement := reports.Requirement{ID: outcome.Requirement, Level: reports.LevelCore, Title: "a, title: 100%"}
		if outcome.Spec == "kubernetes" {
			requirement.Kubernetes.By = reports.APIServer
		}
		run.Catalogue = append(run.Catalogue, requirement)
	}
	run.Observations = nil
	var out bytes.Buffer
	if err := reports.WriteAnnotations(&out, assemble(t, run)); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestAnnotationsSayWhatFailedAndWhatCouldNotBeDecided(t *testing.T) {
	t.Parallel()
	got := annotations(t,
		reports.Outcome{Requirement: "SURGE-001", Spec: "a", Verdict: reports.Pass},
		reports.Outcome{Requirement: "SURGE-002", Spec: "b", Verdict: reports.Fail, Reason: "100% of it\nmore"},
		reports.Outcome{Requirement: "SURGE-003", Spec: "c", Verdict: reports.Inconclusive, Reason: "a gap::here"},
		reports.Outcome{Requirement: "EVICT-013", Spec: "kubernetes", Verdict: reports.Fail, Reason: "x"},
	)
	want := []string{
		"::error title=SURGE-002 a%2C title%3A 100%25 fail::100%25 of it",
		"::warning title=SURGE-003 a%2C title%3A 100%25 inconclusive::a gap::here",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNoMoreAnnotationsAreWrittenThanAreShown(t *testing.T) {
	t.Parallel()
	for n, last := range map[int]string{10: "SURGE-010", 11: "2 more", 40: "31 more"} {
		var outcomes []reports.Outcome
		for i := 1; i <= n; i++ {
			outcomes = append(outcomes, reports.Outcome{Requirement: reports.ID(fmt.Sprintf("SURGE-%03d", i)), Spec: "a", Verdict: reports.Fail, Reason: "x"})
		}
		got := annotations(t, outcomes...)
		if len(got) != 10 || !strings.Contains(got[9], "title="+last) {
			t.Errorf("%d failed requirements give %d annotations, the last of them %q: want 10, and %q", n, len(got), got[len(got)-1], last)
		}
	}
}
