package reports_test

import (
	"io"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestEveryFormSaysWhichWorkloadWasTestedUnlessItIsDaemonSets(t *testing.T) {
	t.Parallel()
	usual, other := exampleRun(), exampleRun()
	other.Implementation.Workload = "rollcall.dev/v1alpha1 Daemon"
	for name, write := range map[string]func(io.Writer, *reports.ConformanceReport) error{
		"YAML": reports.WriteYAML, "JUnit": reports.WriteJUnit,
		"terminal": func(out io.Writer, report *reports.ConformanceReport) error {
			return reports.Summary(out, report, reports.SummaryOptions{})
		},
	} {
		for _, run := range []reports.Run{usual, other} {
			var text strings.Builder
			if err := write(&text, assemble(t, run)); err != nil {
				t.Fatal(err)
			}
			want := run.Implementation.Workload != ""
			if got := strings.Contains(text.String(), "rollcall.dev/v1alpha1 Daemon"); got != want {
				t.Errorf("%s: the workload %q is named: %t\n%s", name, run.Implementation.Workload, got, text.String())
			}
			if !want && strings.Contains(text.String(), "workload") {
				t.Errorf("%s: a workload is named\n%s", name, text.String())
			}
		}
	}
}
