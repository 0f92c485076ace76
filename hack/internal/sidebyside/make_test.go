package sidebyside

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// TestRunsThatWereMadeAreReturnedAndTheOthersNamed has a rollcall that leaves a report where one lies beside its artifacts.
func TestRunsThatWereMadeAreReturnedAndTheOthersNamed(t *testing.T) {
	folder := t.TempDir()
	rollcall := filepath.Join(folder, "rollcall")
	script := "#!/bin/sh\n[ ! -e \"$3.yaml\" ] || cp \"$3.yaml\" \"$3/" + reports.YAMLFile + "\"\n"
	if err := os.WriteFile(rollcall, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	artifacts := func(i int) string { return filepath.Join(folder, strconv.Itoa(i)) }
	cut := run("", reports.Pass).Report
	cut.Provenance.Interrupted = true
	for i, report := range []*reports.ConformanceReport{run("", reports.Pass).Report, nil, cut, run("", reports.Fail).Report} {
		if report == nil {
			continue
		}
		var text bytes.Buffer
		if err := reports.WriteYAML(&text, report); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(artifacts(i)+".yaml", text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var planned []Planned
	var runs []trial.Run
	for i := range 4 {
		planned = append(planned, Planned{Name: "run " + strconv.Itoa(i)})
		runs = append(runs, trial.Run{Rollcall: rollcall, Dir: folder, Artifacts: artifacts(i)})
	}
	made, err := makeAll(t.Context(), 2, planned, runs)
	if len(made) != 2 || made[0].Folder != artifacts(0) || made[1].Report.Requirements[0].Verdict != reports.Fail {
		t.Errorf("made: %+v", made)
	}
	if err == nil || !strings.Contains(err.Error(), "run 1: rollcall run left no report") || !strings.Contains(err.Error(), "run 2: the run was interrupted") {
		t.Errorf("got %v", err)
	}
}

func TestWhatRollcallRefusesIsBadInput(t *testing.T) {
	for name, row := range map[string]struct {
		script, says string
		code         int
	}{
		"in order": {"exit 0", "", trial.ExitProven},
		"refused":  {"echo 'rollcall: -focus FOO: no such' >&2; exit 2", "-focus FOO: no such", trial.ExitUsage},
		"failed":   {"echo 'no such folder' >&2; exit 3", "rollcall run -dry-run: exit status 3: no such folder", trial.ExitNotTried},
	} {
		t.Run(name, func(t *testing.T) {
			rollcall := filepath.Join(t.TempDir(), "rollcall")
			if err := os.WriteFile(rollcall, []byte("#!/bin/sh\n"+row.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			code, err := check(t.Context(), trial.Run{Rollcall: rollcall, Dir: t.TempDir()})
			if code != row.code || (err == nil) != (row.says == "") || err != nil && err.Error() != row.says {
				t.Errorf("code %d, %v", code, err)
			}
		})
	}
}
