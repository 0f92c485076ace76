package reports_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestSeveralVerdictsOnOneRequirementMergeToTheWeightiest(t *testing.T) {
	t.Parallel()
	lightestFirst := []reports.Verdict{reports.NotRun, reports.Unsupported, reports.Pass, reports.Inconclusive, reports.Fail}
	for i, light := range lightestFirst {
		for _, heavy := range lightestFirst[i:] {
			if got := reports.Merge(light, heavy); got != heavy {
				t.Errorf("Merge(%s, %s) = %s, want %s", light, heavy, got, heavy)
			}
			if got := reports.Merge(heavy, light); got != heavy {
				t.Errorf("Merge(%s, %s) = %s, want %s", heavy, light, got, heavy)
			}
		}
	}
	if got := reports.Merge(lightestFirst...); got != reports.Fail {
		t.Errorf("all five verdicts merge to %s, want fail", got)
	}
}

func TestNoVerdictMeansNotRun(t *testing.T) {
	t.Parallel()
	if got := reports.Merge(); got != reports.NotRun {
		t.Errorf("Merge() = %s, want not run", got)
	}
}
