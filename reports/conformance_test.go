package reports_test

import (
	"fmt"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestExitCodeAndAnswerFollowFromTheVerdicts(t *testing.T) {
	t.Parallel()
	type verdicts = []reports.Verdict
	cases := map[string]struct {
		verdicts    verdicts
		focus       string
		interrupted bool
		harness     string
		its         string
		deviation   bool
		code        int
		answer      reports.Conformance
	}{
		"everything passed":                           {verdicts: verdicts{"pass", "pass"}, code: 0, answer: reports.Conformant},
		"some were not selected":                      {verdicts: verdicts{"pass", "not run"}, code: 0, answer: reports.Conformant},
		"a feature is not claimed":                    {verdicts: verdicts{"pass", "unsupported"}, code: 0, answer: reports.Conformant},
		"all that was selected passed":                {verdicts: verdicts{"pass", "not run"}, focus: "API", code: 0, answer: reports.Partial},
		"one that was selected failed":                {verdicts: verdicts{"fail", "not run"}, focus: "API", code: 1, answer: reports.NotConformant},
		"selected and interrupted":                    {verdicts: verdicts{"pass"}, focus: "API", interrupted: true, code: 3, answer: reports.Undecided},
		"one failed":                                  {verdicts: verdicts{"pass", "fail"}, code: 1, answer: reports.NotConformant},
		"one failed as the implementation declares":   {verdicts: verdicts{"fail", "pass"}, deviation: true, code: 1, answer: reports.NotConformant},
		"one failed and one was inconclusive":         {verdicts: verdicts{"inconclusive", "fail"}, code: 1, answer: reports.NotConformant},
		"one was inconclusive":                        {verdicts: verdicts{"pass", "inconclusive"}, code: 3, answer: reports.Undecided},
		"nothing was run":                             {verdicts: verdicts{"not run", "not run"}, code: 3, answer: reports.Undecided},
		"nothing is claimed":                          {verdicts: verdicts{"unsupported", "not run"}, code: 3, answer: reports.Undecided},
		"the catalogue is empty":                      {code: 3, answer: reports.Undecided},
		"interrupted after passes":                    {verdicts: verdicts{"pass", "not run"}, interrupted: true, code: 3, answer: reports.Undecided},
		"interrupted after everything passed":         {verdicts: verdicts{"pass"}, interrupted: true, code: 3, answer: reports.Undecided},
		"interrupted after a failure":                 {verdicts: verdicts{"fail", "not run"}, interrupted: true, code: 1, answer: reports.NotConformant},
		"the harness failed after passes":             {verdicts: verdicts{"pass"}, harness: "kube-apiserver exited", code: 3, answer: reports.Undecided},
		"the harness failed after a failure was seen": {verdicts: verdicts{"fail"}, harness: "kube-apiserver exited", code: 1, answer: reports.NotConformant},
		"the implementation never worked":             {verdicts: verdicts{"inconclusive"}, its: "not ready", code: 4, answer: reports.Undecided},
		"the implementation died after passes":        {verdicts: verdicts{"pass"}, its: "exit status 2", code: 4, answer: reports.Undecided},
		"the implementation died after a failure":     {verdicts: verdicts{"fail"}, its: "exit status 2", code: 1, answer: reports.NotConformant},
		"both failed":                                 {verdicts: verdicts{"pass"}, its: "exit status 2", harness: "kube-apiserver exited", code: 4, answer: reports.Undecided},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := reports.Run{Provenance: reports.Provenance{
				Focus: test.focus, Interrupted: test.interrupted, HarnessFailure: test.harness, ImplementationFailure: test.its,
			}}
			for i, verdict := range test.verdicts {
				id := reports.ID(fmt.Sprintf("API-%03d", i))
				run.Catalogue = append(run.Catalogue, reports.Requirement{ID: id, Level: reports.LevelCore})
				run.Outcomes = append(run.Outcomes, reports.Outcome{Requirement: id, Spec: "a spec", Verdict: verdict, Reason: "a reason"})
			}
			if test.deviation {
				run.Implementation.KnownDeviations = []reports.KnownDeviation{{Requirement: "API-000", Issue: "https://example.org/1"}}
			}
			report := assemble(t, run)
			if got := reports.ExitCode(report); got != test.code {
				t.Errorf("exit code %d, want %d", got, test.code)
			}
			if report.Conformance != test.answer {
				t.Errorf("the report says %q, want %q", report.Conformance, test.answer)
			}
		})
	}
}

func TestExitCodeDoesNotBelieveAnEditedAnswer(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())
	report.Conformance = reports.Conformant
	if got := reports.ExitCode(report); got != reports.ExitNotConformant {
		t.Errorf("exit code %d for a report with a failure that claims to be conformant, want 1", got)
	}
}

func TestWhatKubernetesBreaksIsNoFailureOfTheImplementation(t *testing.T) {
	t.Parallel()
	run := reports.Run{Catalogue: []reports.Requirement{
		{ID: "EVICT-001", Level: reports.LevelCore},
		{ID: "EVICT-002", Level: reports.LevelCore, Kubernetes: reports.Kubernetes{Behaviour: reports.Differs, By: reports.APIServer}},
	}}
	run.Outcomes = []reports.Outcome{
		{Requirement: "EVICT-001", Spec: "a spec", Verdict: reports.Pass},
		{Requirement: "EVICT-002", Spec: "a spec", Verdict: reports.Fail, Reason: "a reason"},
	}
	report := assemble(t, run)
	if report.Conformance != reports.Conformant || reports.ExitCode(report) != reports.ExitConformant {
		t.Errorf("the report says %s and exit %d, want it conformant", report.Conformance, reports.ExitCode(report))
	}
	if want := (reports.Statistics{Passed: 1, Failed: 1, NotItsOwn: 1}); report.Statistics != want {
		t.Errorf("the statistics are %+v, want %+v", report.Statistics, want)
	}
	run.Outcomes[0].Verdict, run.Outcomes[0].Reason = reports.Fail, "a reason"
	if report := assemble(t, run); report.Conformance != reports.NotConformant {
		t.Errorf("with a failure of its own the report says %s", report.Conformance)
	}
}
