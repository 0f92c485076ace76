package formats_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

func small(t *testing.T) *reports.ConformanceReport {
	t.Helper()
	report, err := reports.Assemble(reports.Run{
		Implementation: reports.Implementation{Name: "some-controller"},
		Catalogue:      []reports.Requirement{{ID: "SURGE-001", Level: reports.LevelCore, Statement: "It surges."}},
		Outcomes:       []reports.Outcome{{Requirement: "SURGE-001", Spec: "surges", Verdict: reports.Fail, Reason: "it does not"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestEveryFormatSaysWhatFailed(t *testing.T) {
	t.Parallel()
	for _, format := range formats.All() {
		var out bytes.Buffer
		if err := format.Write(&out, small(t)); err != nil {
			t.Fatalf("%s: %v", format.Name, err)
		}
		for _, want := range []string{"SURGE-001", "it does not"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not say %q:\n%s", format.Name, want, out.String())
			}
		}
	}
	if _, err := formats.Find("pdf"); err == nil || !strings.Contains(err.Error(), "html, junit, markdown") {
		t.Errorf("got error %v, want one that lists the formats", err)
	}
}

func TestFilesAreReplacedWholeAndLeaveNothingBeside(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	report := small(t)
	for range 2 {
		if err := formats.WriteFiles(dir, report); err != nil {
			t.Fatalf("write the files: %v", err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !reflect.DeepEqual(names, []string{reports.JUnitFile, reports.HTMLFile, reports.YAMLFile}) {
		t.Errorf("the folder holds %v, want the three files alone", names)
	}
	got, err := os.ReadFile(filepath.Join(dir, reports.YAMLFile))
	var want bytes.Buffer
	if err := reports.WriteYAML(&want, report); err != nil {
		t.Fatal(err)
	}
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("report.yaml does not hold the report (error: %v)", err)
	}
}

func TestAFailedWriteLeavesThePreviousReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// A folder in the way of the second file makes its replacement fail.
	if err := os.MkdirAll(filepath.Join(dir, reports.JUnitFile, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := formats.WriteFiles(dir, small(t))
	if err == nil || !strings.Contains(err.Error(), reports.JUnitFile) {
		t.Errorf("got error %v, want one that names %s", err, reports.JUnitFile)
	}
	left, globErr := filepath.Glob(filepath.Join(dir, ".*"))
	if globErr != nil || len(left) != 0 {
		t.Errorf("left behind: %v (error: %v)", left, globErr)
	}
}
