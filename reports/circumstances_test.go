package reports_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestCircumstancesReadLikeThis(t *testing.T) {
	g := NewWithT(t)
	c := reports.Circumstances{
		Standstills: []string{"the API server answered nobody for 14.8 s, from 2.2 s into the recording: etcdserver: request timed out"},
		Refused:     []reports.Refused{{What: "37 creates of pods: 403 Forbidden, RBAC (fix: grant create)", Answer: "403 Forbidden: pods is forbidden"}},
		Ended:       "exit status 2", Log: []string{"panic: \x1b[2Jboom", "goroutine 1 [running]:"},
	}
	g.Expect(c.Text()).To(Equal(strings.Join([]string{
		"  Meanwhile the API server answered nobody for 14.8 s, from 2.2 s into the recording: etcdserver:",
		"  request timed out",
		"  Meanwhile the API server refused the implementation",
		"    - 37 creates of pods: 403 Forbidden, RBAC (fix: grant create)",
		"      403 Forbidden: pods is forbidden",
		"  The implementation had ended by itself: exit status 2",
		"  The last lines of the implementation's log meanwhile",
		"    panic: boom",
		"    goroutine 1 [running]:",
	}, "\n")))
	g.Expect(reports.Circumstances{Spec: "a spec"}.Text()).To(BeEmpty())
}

func TestACauseInCommonIsToldOnceWithTheSpecs(t *testing.T) {
	g := NewWithT(t)
	run := reports.Run{Catalogue: []reports.Requirement{
		{ID: "SURGE-001", Level: reports.LevelCore}, {ID: "SURGE-002", Level: reports.LevelCore}, {ID: "SURGE-003", Level: reports.LevelCore},
		{ID: "SURGE-004", Level: reports.LevelCore},
	}}
	for i, requirement := range run.Catalogue {
		outcome := reports.Outcome{
			Requirement: requirement.ID, Spec: "spec of " + string(requirement.ID), Verdict: reports.Inconclusive,
			Reason: "precondition not met on node of " + string(requirement.ID) + "; the API server refused", Cause: "creates of pods are refused",
		}
		if i == 3 {
			outcome.Cause = ""
		}
		run.Outcomes = append(run.Outcomes, outcome)
	}
	got := summaryOf(t, assemble(t, run), reports.SummaryOptions{})
	g.Expect(got).To(ContainSubstring(strings.Join([]string{
		"Inconclusive", "  creates of pods are refused (3)", "    SURGE-001..003", "    first: precondition not met on node of SURGE-001",
		"    3 specs: spec of SURGE-001; spec of SURGE-002; spec of SURGE-003", "  SURGE-004",
	}, "\n")))
	g.Expect(strings.Count(got, "creates of pods are refused")).To(Equal(1))
}

func TestARequirementHasACauseOnlyIfAllItsSpecsHaveTheSame(t *testing.T) {
	g := NewWithT(t)
	run := reports.Run{Catalogue: []reports.Requirement{{ID: "SURGE-001", Level: reports.LevelCore}}}
	for _, cause := range []string{"one", "one", "another"} {
		run.Outcomes = append(run.Outcomes, reports.Outcome{Requirement: "SURGE-001", Verdict: reports.Inconclusive, Reason: "r", Cause: cause})
	}
	g.Expect(assemble(t, run).Requirements[0].Cause).To(BeEmpty())
	run.Outcomes = run.Outcomes[:2]
	g.Expect(assemble(t, run).Requirements[0].Cause).To(Equal("one"))
	run.Outcomes[0].Cause = "the run ended early: one"
	g.Expect(assemble(t, run).Requirements[0].Cause).To(Equal("one"), "which is why it did not run")
	run.Outcomes[1].Cause = ""
	g.Expect(assemble(t, run).Requirements[0].Cause).To(BeEmpty(), "one of them has none")
}

func TestCircumstancesAreOrderedAndEmptyOnesLeftOut(t *testing.T) {
	g := NewWithT(t)
	report := assemble(t, reports.Run{Circumstances: []reports.Circumstances{{Spec: "b", Ended: "x"}, {Spec: "a", Ended: "x"}, {Spec: "c"}}})
	g.Expect(report.Circumstances).To(HaveExactElements(HaveField("Spec", "a"), HaveField("Spec", "b")))
}
