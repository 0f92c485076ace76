package reports_test

import (
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestWhatIsWorseThanBefore(t *testing.T) {
	t.Parallel()
	const none = reports.Verdict("")
	all := []reports.Verdict{none, reports.Pass, reports.Fail, reports.Inconclusive, reports.Unsupported, reports.NotRun}
	worse := map[[2]reports.Verdict]bool{
		{none, reports.Fail}: true, {reports.Pass, reports.Fail}: true, {reports.Inconclusive, reports.Fail}: true, {reports.Unsupported, reports.Fail}: true,
		{reports.NotRun, reports.Fail}: true, {reports.Pass, reports.Inconclusive}: true, {reports.Pass, reports.Unsupported}: true,
	}
	silent := map[[2]reports.Verdict]bool{{reports.NotRun, reports.Pass}: true, {reports.NotRun, reports.Inconclusive}: true, {reports.NotRun, reports.Unsupported}: true}
	with := func(verdict reports.Verdict) *reports.ConformanceReport {
		report := &reports.ConformanceReport{}
		if verdict != none {
			report.Requirements = []reports.RequirementResult{{Requirement: reports.Requirement{ID: "SURGE-001"}, Verdict: verdict}}
		}
		return report
	}
	for _, before := range all {
		for _, after := range all[1:] {
			pair := [2]reports.Verdict{before, after}
			changes := reports.Compare(with(before), with(after))
			if reports.AnyWorse(changes) != worse[pair] {
				t.Errorf("%q to %q: worse is %v, want %v", before, after, !worse[pair], worse[pair])
			}
			if want := before != after && after != reports.NotRun && !silent[pair]; (len(changes) == 1) != want {
				t.Errorf("%q to %q: %d changes, want any: %v", before, after, len(changes), want)
			}
		}
		if changes := reports.Compare(with(before), with(none)); len(changes) != 0 {
			t.Errorf("%q to a catalogue without it: %v", before, changes)
		}
	}
}

func TestASpecThatNoLongerRunsIsWorse(t *testing.T) {
	t.Parallel()
	const lost = "surges within the limit"
	of := func(result reports.RequirementResult) *reports.ConformanceReport {
		result.Requirement = reports.Requirement{ID: "SURGE-001"}
		return &reports.ConformanceReport{
			Implementation: reports.Implementation{Name: "mine"}, Provenance: reports.Provenance{Provider: "embedded"}, Requirements: []reports.RequirementResult{result},
		}
	}
	notRun := func(verdict reports.Verdict, reason string) reports.RequirementResult {
		return reports.RequirementResult{Verdict: verdict, Reason: reason, SpecsNotRun: []reports.SpecNotRun{{Spec: lost, Reason: reason}}}
	}
	const binds = "the implementation binds pods to nodes itself"
	ran := of(reports.RequirementResult{Verdict: reports.Pass, Specs: []string{lost}})
	elsewhere, other, interrupted := of(notRun(reports.Pass, binds)), of(notRun(reports.Pass, binds)), of(notRun(reports.NotRun, "interrupted"))
	elsewhere.Provenance.Provider = "kind"
	other.Implementation.Name = "yours"
	interrupted.Provenance.Interrupted = true
	for name, row := range map[string]struct {
		before, after *reports.ConformanceReport
		worse         bool
	}{
		"the verdict stays, from other specs": {ran, of(notRun(reports.Pass, binds)), true},
		"none is left":                        {ran, of(notRun(reports.NotRun, binds)), true},
		"nobody asked for it":                 {ran, of(notRun(reports.NotRun, reports.NotSelected)), false},
		"the sample left it out":              {ran, of(notRun(reports.Pass, reports.NotSampled)), false},
		"another shard runs it":               {ran, of(notRun(reports.Pass, reports.InAnotherShard)), false},
		"it did not run before":               {of(notRun(reports.Pass, binds)), of(notRun(reports.Pass, binds)), false},
		"it is no longer there":               {ran, of(reports.RequirementResult{Verdict: reports.Pass, Specs: []string{"another"}}), false},
		"on another provider":                 {ran, elsewhere, false},
		"another implementation":              {ran, other, false},
		"the run was interrupted":             {ran, interrupted, false},
		"the requirement is new":              {&reports.ConformanceReport{Implementation: ran.Implementation, Provenance: ran.Provenance}, of(notRun(reports.Pass, binds)), false},
	} {
		changes := reports.Compare(row.before, row.after)
		if reports.AnyWorse(changes) != row.worse {
			t.Errorf("%s: worse is %v, want %v: %v", name, !row.worse, row.worse, changes)
		}
		if row.worse && !strings.Contains(changes[0].String(), `"`+lost+`" ran, and does not now: `+binds) {
			t.Errorf("%s: %s", name, changes[0])
		}
	}
}
