package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// TestWhatRecordingsShowIsReportedWhereSpecsLeftNoReport has Ginkgo's report end in its middle, as it does where -stop-after or Ctrl-C meets Ginkgo while it writes.
func TestWhatRecordingsShowIsReportedWhereSpecsLeftNoReport(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for name, row := range map[string]struct {
		ctx     context.Context
		stopped string
		harness bool
	}{
		"stopped after a failure":          {t.Context(), "stopped after 1 failed (-stop-after)", false},
		"interrupted":                      {interrupted, "", false},
		"the specs' processes were killed": {t.Context(), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			fill(t, root, reports.MarkFile, runFile, recordingsFolder+"/")
			brokenRecording(t, filepath.Join(root, recordingsFolder))
			ginkgo := filepath.Join(root, "ginkgo.json")
			write(t, ginkgo, `[{"SuitePath": "`)
			var out bytes.Buffer
			r := &suiteRun{
				catalogue: catalogue, options: options{patience: time.Minute}, stopped: row.stopped, began: time.Now(),
				implementation: &implementation.Implementation{Name: "mine", Features: []requirements.Feature{requirements.DaemonSet, requirements.Surge}},
				artifacts:      artifacts{root: root, recordings: filepath.Join(root, recordingsFolder), logs: root, work: root, ginkgo: ginkgo},
				out:            &console{out: &out},
			}
			code, err := r.finish(row.ctx, specTree())
			if err != nil || code != exitNotConformant {
				t.Errorf("exit code %d, %v\n%s", code, err, out.String())
			}
			report, err := readReportAt(root)
			if err != nil {
				t.Fatal(err)
			}
			if failed := report.Provenance.HarnessFailure != ""; failed != row.harness {
				t.Errorf("harness failure %q", report.Provenance.HarnessFailure)
			}
			if early := report.Provenance.EndedEarly; early != row.stopped {
				t.Errorf("it ended early: %q", early)
			}
			i := slices.IndexFunc(report.Requirements, func(r reports.RequirementResult) bool { return r.ID == "SURGE-006" })
			if got := report.Requirements[i]; got.Verdict != reports.Fail || len(got.Violations) == 0 {
				t.Errorf("SURGE-006: %s, %d violations", got.Verdict, len(got.Violations))
			}
			if _, err := os.Stat(filepath.Join(root, reports.HTMLFile)); err != nil {
				t.Error(err)
			}
		})
	}
}
