package rollcalltest

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

// tell gives a requirement's subtest the requirement's verdict. What Kubernetes itself breaks is skipped, as it does not stand against the controller. The folder is that
// of the report.
func tell(t testing.TB, result reports.RequirementResult, folder string) {
	t.Helper()
	switch {
	case result.Verdict == reports.Fail && result.BrokenBy() != "":
		t.Skipf("broken by %s:\n%s", result.BrokenBy(), reports.FailureText(result, folder))
	case result.Verdict == reports.Fail:
		t.Error("\n" + reports.FailureText(result, folder))
	case result.Verdict == reports.Inconclusive:
		t.Errorf("inconclusive: %s", result.Reason)
	case result.Verdict != reports.Pass:
		t.Skipf("%s: %s", result.Verdict, result.Reason)
	}
}
