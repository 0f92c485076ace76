package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

// recordingAt writes a recording to a file of a new folder.
func recordingAt(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one.jsonl")
	var recording bytes.Buffer
	if err := broken(t).Write(&recording); err != nil {
		t.Fatal(err)
	}
	write(t, path, recording.String())
	return path
}

func TestARecordingIsShownInEveryFormat(t *testing.T) {
	path := recordingAt(t)
	for format, want := range map[string]string{"terminal": "what happened", "html": "<!DOCTYPE html>", "trace": `"traceEvents"`} {
		var out bytes.Buffer
		code, err := dispatch(context.Background(), "show", []string{"-format", format, path}, &out)
		if err != nil || code != exitConformant || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %v\n%s", format, code, err, out.String())
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	var out bytes.Buffer
	if code, err := dispatch(context.Background(), "show", []string{"-format=html", "-output", page, path}, &out); err != nil || code != exitConformant {
		t.Fatalf("exit code %d, %v", code, err)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "<!DOCTYPE html>") {
		t.Errorf("the page is not there: %v", err)
	}
}

func TestAReportIsWrittenInEveryFormat(t *testing.T) {
	dir := t.TempDir()
	report, err := reports.Assemble(reports.Run{
		Implementation: reports.Implementation{Name: "mine"}, Catalogue: []reports.Requirement{{ID: "SURGE-001", Level: reports.LevelCore}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteFiles(dir, report); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"html": "<!DOCTYPE html>", "markdown": "# mine is undecided", "junit": "<testsuites"} {
		for _, named := range []string{dir, filepath.Join(dir, reports.YAMLFile)} {
			var out bytes.Buffer
			code, err := dispatch(context.Background(), "report", []string{"-format", format, named}, &out)
			if err != nil || code != exitConformant || !strings.Contains(out.String(), want) {
				t.Errorf("%s: exit code %d, %v\n%s", format, code, err, out.String())
			}
		}
	}
}
