package publication_test

import (
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/publication"
)

func TestTheGuideSaysWhyTheAnswerIsWhatItIs(t *testing.T) {
	report, err := reports.Assemble(reports.Run{
		Catalogue: []reports.Requirement{
			{ID: "EVICT-001", Level: reports.LevelCore, Statement: "x", Kubernetes: reports.Kubernetes{By: reports.APIServer, Behaviour: reports.Differs}},
			{ID: "SURGE-001", Level: reports.LevelCore, Statement: "y"},
		},
		Outcomes: []reports.Outcome{
			{Requirement: "EVICT-001", Spec: "a", Verdict: reports.Fail, Violations: []reports.Violation{{Requirement: "EVICT-001", Promise: "p", Got: "g"}}},
			{Requirement: "SURGE-001", Spec: "b", Verdict: reports.Pass},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	guide := publication.Guide(report, "./mine.yaml")
	for _, want := range []string{"conformant\n\nEvery requirement that was decided passed but for 1 that Kubernetes itself breaks.\n", "1 passed, 1 failed"} {
		if !strings.Contains(guide, want) {
			t.Errorf("want %q in\n%s", want, guide)
		}
	}
}
