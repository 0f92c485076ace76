package reports_test

import (
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
