package reports_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

func summaryOf(t *testing.T, report *reports.ConformanceReport, options reports.SummaryOptions) string {
	t.Helper()
	var out strings.Builder
	if err := reports.Summary(&out, report, options); err != nil {
		t.Fatalf("write the summary: %v", err)
	}
	return out.String()
}

func TestTheSummaryReadsLikeThis(t *testing.T) {
	t.Parallel()
	paths := []reports.Path{{Label: "report", Path: "_artifacts/report.yaml"}, {Label: "recordings", Path: "_artifacts/recordings"}}
	conformant := exampleRun()
	conformant.Outcomes[2].Verdict, conformant.Outcomes[2].Violations = reports.Pass, nil
	conformant.Outcomes[4].Verdict = reports.Pass
	conformant.Circumstances = []reports.Circumstances{{Spec: "a spec", Earlier: "undecided/one.jsonl could not decide it: the API server answered nobody"}}
	interrupted := exampleRun()
	interrupted.Provenance.Interrupted = true
	interrupted.Outcomes = interrupted.Outcomes[:2]
	// A catalogue as long as the real one, of which most has no spec yet.
	for _, family := range []string{"DRAIN", "EVICT"} {
		for number := 1; number <= 30; number++ {
			if number == 7 {
				continue
			}
			interrupted.Catalogue = append(interrupted.Catalogue, reports.Requirement{ID: reports.ID(fmt.Sprintf("%s-%03d", family, number)), Level: reports.LevelCore})
		}
	}
	broken := exampleRun()
	broken.Provenance.ImplementationFailure = "some-controller is not ready\nits log"
	broken.Outcomes = nil
	for _, requirement := range broken.Catalogue {
		broken.Outcomes = append(broken.Outcomes, reports.Outcome{
			Requirement: requirement.ID, Spec: "a spec", Verdict: reports.Inconclusive, Reason: "not run, since the implementation failed before: some-controller is not ready",
		})
	}
	// What failed is not its own, so that what nobody could decide makes the answer.
	undecided := exampleRun()
	undecided.Catalogue[1].Kubernetes = reports.Kubernetes{Behaviour: reports.Differs, By: "API server"}
	cases := map[string]reports.Run{
		"broken": broken, "not conformant": exampleRun(), "conformant": conformant, "interrupted": interrupted, "undecided": undecided,
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := summaryOf(t, assemble(t, run), reports.SummaryOptions{Paths: paths})
			for _, line := range strings.Split(got, "\n") {
				if utf8.RuneCountInString(line) > 100 {
					t.Errorf("a line is wider than 100 columns: %q", line)
				}
			}
			goldentest.Equal(t, filepath.Join("testdata", "summary-"+strings.ReplaceAll(name, " ", "-")+".txt"), got)
		})
	}
}

func TestColourAddsNothingButColour(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())
	plain, coloured := summaryOf(t, report, reports.SummaryOptions{}), summaryOf(t, report, reports.SummaryOptions{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("the summary is coloured although nobody asked for it")
	}
	if coloured == plain {
		t.Error("the summary is not coloured although that was asked for")
	}
	for _, sequence := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"} {
		coloured = strings.ReplaceAll(coloured, sequence, "")
	}
	if coloured != plain {
		t.Errorf("without its colours the coloured summary reads\n%s\nwant\n%s", coloured, plain)
	}
}

func TestWhatTheImplementationBreaksComesLastOfWhatFailed(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	after := run.Outcomes[slices.IndexFunc(run.Outcomes, func(o reports.Outcome) bool { return o.Verdict == reports.Fail })]
	after.Requirement = "PDB-002"
	run.Outcomes = append(run.Outcomes, after)
	for i := range run.Catalogue {
		if run.Catalogue[i].ID == "PDB-002" {
			run.Catalogue[i].Kubernetes = reports.Kubernetes{Behaviour: reports.Differs, By: "API server"}
		}
	}
	_, failed, _ := strings.Cut(summaryOf(t, assemble(t, run), reports.SummaryOptions{}), "\nFailed\n")
	if own, other := strings.Index(failed, "SURGE-009 "), strings.Index(failed, "PDB-002 "); other < 0 || own < other {
		t.Errorf("the summary says of what failed\n%s\nwant PDB-002, which Kubernetes itself breaks, before SURGE-009: a log that was cut has the last lines", failed)
	}
}
