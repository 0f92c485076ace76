package reports_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

func resultFor(t *testing.T, report *reports.ConformanceReport, id reports.ID) reports.RequirementResult {
	t.Helper()
	for _, result := range report.Requirements {
		if result.ID == id {
			return result
		}
	}
	t.Fatalf("the report has no requirement %s", id)
	return reports.RequirementResult{}
}

func TestAReportListsTheWholeCatalogueInItsOrder(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	report := assemble(t, run)
	var want, got []reports.ID
	for _, requirement := range run.Catalogue {
		want = append(want, requirement.ID)
	}
	for _, result := range report.Requirements {
		got = append(got, result.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("requirements %v, want %v", got, want)
	}
	if report.Provenance.Catalogue.Size != len(want) {
		t.Errorf("catalogue size %d, want %d", report.Provenance.Catalogue.Size, len(want))
	}
}

func TestOutcomesOfSeveralSpecsBecomeOneResult(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())

	failed := resultFor(t, report, "SURGE-009")
	if failed.Verdict != reports.Fail || failed.KnownDeviation != "https://example.org/issues/7" {
		t.Errorf("SURGE-009 is %s with known deviation %q, want fail with the declared issue", failed.Verdict, failed.KnownDeviation)
	}
	if want := []string{"surges by number", "surges over a failed pod"}; !slices.Equal(failed.Specs, want) {
		t.Errorf("SURGE-009 was decided by %q, want %q", failed.Specs, want)
	}
	if len(failed.Violations) != 2 || failed.Violations[0].ResourceVersion != 120 {
		t.Errorf("the violations of SURGE-009 are %+v, want the one at resourceVersion 120 first", failed.Violations)
	}
	if got := report.Durations["SURGE-009"]; got != 2500*time.Millisecond {
		t.Errorf("SURGE-009 took %s, want the sum of its specs, 2.5s", got)
	}

	silent := resultFor(t, report, "PDB-001")
	if silent.Verdict != reports.NotRun || silent.Reason == "" {
		t.Errorf("a requirement nobody decides is %s with reason %q, want not run with a reason", silent.Verdict, silent.Reason)
	}

	skipped := resultFor(t, report, "PDB-003")
	if len(skipped.Specs) != 0 || !slices.Equal(skipped.SpecsNotRun, []reports.SpecNotRun{{Spec: "exports a metric", Reason: skipped.Reason}}) {
		t.Errorf("PDB-003 lists specs %q and specs not run %q, want only the latter", skipped.Specs, skipped.SpecsNotRun)
	}
}

func TestAPassShowsWhichOfItsSpecsDidNotRun(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	run.Outcomes = append(run.Outcomes, reports.Outcome{Requirement: "API-001", Spec: "takes numbers", Verdict: reports.NotRun, Reason: "not selected"})
	result := resultFor(t, assemble(t, run), "API-001")
	if result.Verdict != reports.Pass || result.Reason != "" || !slices.Equal(result.SpecsNotRun, []reports.SpecNotRun{{Spec: "takes numbers", Reason: "not selected"}}) {
		t.Errorf("got %+v, want a pass without a reason that lists the spec that did not run, and why", result)
	}
}

func TestStatisticsAddUpInEveryGrouping(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())
	want := reports.Statistics{Passed: 2, Failed: 1, Inconclusive: 1, Unsupported: 1, NotRun: 3}
	if report.Statistics != want {
		t.Errorf("statistics %+v, want %+v", report.Statistics, want)
	}
	perFamily, perLevel := 0, 0
	for _, profile := range report.Profiles {
		perFamily += profile.Statistics.Total()
	}
	for _, level := range []*reports.LevelResult{report.Levels.Core, report.Levels.Extended, report.Levels.Reference} {
		perLevel += level.Statistics.Total()
	}
	if perFamily != want.Total() || perLevel != want.Total() {
		t.Errorf("families count %d and levels %d requirements, want %d in both", perFamily, perLevel, want.Total())
	}
	surge := report.Profiles[0]
	if surge.Name != "SURGE" || surge.Core.Result != reports.NotConformant || surge.Extended.Result != reports.Undecided || surge.Reference != nil {
		t.Errorf("profile %+v, want SURGE: core not conformant, extended undecided, no reference level", surge)
	}
	for _, feature := range report.Features {
		if feature.Claimed != (feature.Name == "Surge") {
			t.Errorf("feature %s is claimed: %t", feature.Name, feature.Claimed)
		}
	}
}

func TestTheOrderOfOutcomesDoesNotShow(t *testing.T) {
	t.Parallel()
	want := yamlOf(t, assemble(t, exampleRun()))
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		run := exampleRun()
		random.Shuffle(len(run.Outcomes), func(i, j int) { run.Outcomes[i], run.Outcomes[j] = run.Outcomes[j], run.Outcomes[i] })
		random.Shuffle(len(run.Observations), func(i, j int) {
			run.Observations[i], run.Observations[j] = run.Observations[j], run.Observations[i]
		})
		for _, outcome := range run.Outcomes {
			slices.Reverse(outcome.Violations)
		}
		slices.Reverse(run.Implementation.Features)
		if got := yamlOf(t, assemble(t, run)); !bytes.Equal(got, want) {
			t.Fatalf("the same outcomes in another order give another report:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestAssembleRefusesWhatWouldMakeAReportUntrue(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spoil func(*reports.Run)
		want  string
	}{
		"an outcome for an unknown requirement": {
			func(run *reports.Run) { run.Outcomes[0].Requirement = "SURGE-999" }, `"SURGE-999", which is not in the catalogue`},
		"an unknown verdict": {
			func(run *reports.Run) { run.Outcomes[0].Verdict = "passed" }, `unknown verdict "passed"`},
		"a pass in spite of violations": {
			func(run *reports.Run) { run.Outcomes[2].Verdict = reports.Pass }, "in spite of 2 violations"},
		"a requirement twice in the catalogue": {
			func(run *reports.Run) { run.Catalogue = append(run.Catalogue, run.Catalogue[0]) }, "SURGE-002 is in the catalogue twice"},
		"an unknown level": {
			func(run *reports.Run) { run.Catalogue[0].Level = "must" }, `unknown level "must"`},
		"a known deviation from nothing": {
			func(run *reports.Run) { run.Implementation.KnownDeviations[0].Requirement = "X-1" }, `"X-1", which is not in the catalogue`},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exampleRun()
			test.spoil(&run)
			if _, err := reports.Assemble(run); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %s", err, test.want)
			}
		})
	}
}
