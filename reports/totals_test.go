package reports_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestTotalsCountInconclusiveByItself(t *testing.T) {
	t.Parallel()
	statistics := reports.Statistics{Passed: 17, Failed: 3, Inconclusive: 67, Unsupported: 4, NotRun: 257}
	if got, want := statistics.String(), "17 passed, 3 failed, 67 inconclusive, 4 unsupported, 257 not run"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := statistics.Decided() + statistics.Skipped(); got != statistics.Total() {
		t.Errorf("decided and skipped add up to %d, want %d", got, statistics.Total())
	}
}

func TestTheClosingLineSaysThatItCountsInconclusiveAsFailed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statistics reports.Statistics
		want       string
	}{
		"none is inconclusive": {reports.Statistics{Passed: 2, Failed: 1, NotRun: 3}, "requirements: 2 passed, 1 failed, 3 skipped\n"},
		"some are": {reports.Statistics{Passed: 17, Failed: 3, Inconclusive: 67, Unsupported: 4, NotRun: 257},
			"The last line, which is for CI, counts the 67 inconclusive as failed.\nrequirements: 17 passed, 70 failed, 261 skipped\n"},
		"Kubernetes breaks some": {reports.Statistics{Passed: 17, Failed: 3, NotItsOwn: 2, NotRun: 5},
			"The last line, which is for CI, counts the 2 failed that Kubernetes itself breaks as skipped.\nrequirements: 17 passed, 1 failed, 7 skipped\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.statistics.Closing(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
